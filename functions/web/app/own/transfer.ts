/** Bringing lists and backups into the library, and taking a backup out of it. */

import { call } from "../api";
import { $, dialog, h, toast } from "../dom";
import { count, t } from "../texts";
import { tellOf, words } from "./ask";
import type { Desk } from "./desk";
import type { Library } from "./shelf";

const largest = 1 << 20; // bytes that the service takes

interface Report {
  matched: number;
  added: number;
  repeated: number;
  over_cap: number;
  unmatched_total: number;
  unmatched: { line: number; name: string; reason: "not_in_catalog" | "ambiguous_name" }[];
}

/** Saves all that the library holds as a file. */
export async function exportLibrary(): Promise<void> {
  try {
    const backup = await call<unknown>("GET", "/api/library/export");
    const address = URL.createObjectURL(new Blob([JSON.stringify(backup, null, 1)], { type: "application/json" }));
    h("a", { href: address, download: "miramundo-library.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    toast(t("library.ui.exported"));
  } catch (error) {
    tellOf(error);
  }
}

/** Asks for a list or a backup, and adds what it has. */
export function importLibrary(desk: Desk): void {
  const file = h("input", { type: "file", name: "file", accept: ".m3u,.m3u8,.json,.txt,audio/x-mpegurl,application/json,text/plain" });
  const text = h("textarea", { name: "text", rows: 5, dir: "ltr", spellcheck: "false", placeholder: "#EXTM3U" });
  const folder = h("input", { name: "folder", maxlength: 200, autocomplete: "off", dir: "auto" });
  const replace = h("input", { type: "checkbox", name: "replace" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const button = h("button", { class: "button primary", type: "submit" }, t("library.ui.import"));
  const form = h("form", { class: "import", submit },
    h("p", { class: "soft" }, t("library.ui.import_text")),
    h("label", { class: "field" }, t("library.ui.import_file"), file),
    h("label", { class: "field" }, t("library.ui.import_paste"), text),
    h("label", { class: "field" }, t("library.ui.import_folder"), folder, h("span", { class: "soft small" }, t("library.ui.import_folder_text"))),
    h("label", { class: "row" }, replace, h("span", {}, t("library.ui.import_replace"))),
    h("div", { class: "row" }, button), wrong);
  const box = dialog(t("library.ui.import_title"), form);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    wrong.textContent = "";
    const content: Blob = file.files?.[0] ?? new Blob([text.value]);
    if (content.size === 0 || content.size > largest) {
      wrong.textContent = t(content.size === 0 ? "library.ui.import_nothing" : "library.ui.import_large");
      return;
    }
    button.disabled = true;
    try {
      const query = new URLSearchParams({ replace: replace.checked ? "1" : "0" });
      if (folder.value.trim()) query.set("category", folder.value.trim());
      const backup = /^\s*[{[]/.test(await content.slice(0, 1000).text());
      const body = content.slice(0, content.size, backup ? "application/json" : "audio/x-mpegurl");
      const { report } = await desk.shelf.change<Library & { report: Report }>("POST", `/api/library/import?${query}`, body);
      $(".dialog-body", box)?.replaceChildren(...told(report, () => box.close()));
      $(".dialog-body button", box)?.focus();
    } catch (error) {
      wrong.textContent = words(error);
    }
    button.disabled = false;
  }
}

/** Tells what became of a list. */
function told(report: Report, close: () => void): HTMLElement[] {
  const lines = [count("library.ui.report_added", report.added)];
  if (report.repeated > 0) lines.push(count("library.ui.report_repeated", report.repeated));
  if (report.over_cap > 0) lines.push(count("library.ui.report_over", report.over_cap));
  if (report.unmatched_total > 0) lines.push(count("library.ui.report_missed", report.unmatched_total));
  const missed = report.unmatched.map(({ line, name, reason }) => h("li", {},
    h("span", { dir: "auto" }, name), h("span", { class: "soft small" }, t("library.ui.report_line", { line, reason: t(`library.ui.reason_${reason}`) }))));
  return [
    h("div", { role: "status" }, h("ul", { class: "report" }, ...lines.map((line) => h("li", {}, line)))),
    ...(missed.length > 0 ? [h("details", {}, h("summary", {}, t("library.ui.report_which")), h("ol", { class: "missed" }, ...missed))] : []),
    h("div", { class: "row" }, h("button", { class: "button primary", type: "button", click: close }, t("library.ui.report_done"))),
  ];
}
