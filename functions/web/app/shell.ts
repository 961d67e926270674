/** What is around every page: its theme, its search field, its help. */

import { $, $$, afterPaint, dialog, h, toast, typing } from "./dom";
import { leaving } from "./page";
import { t } from "./texts";

/** Makes what is around the page work. */
export function shell(): void {
  $("[data-theme-switch]")?.addEventListener("click", switchTheme);
  $("[data-help]")?.addEventListener("click", () => afterPaint(help));
  const prefs = $<HTMLDetailsElement>("#prefs");
  document.addEventListener("click", keepQuery);
  if (document.documentElement.dataset["offer"]) offered();
  document.addEventListener("click", (event) => { if (prefs?.open && !(event.target instanceof Node && prefs.contains(event.target))) prefs.open = false; });
  prefs?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !prefs.open) return;
    prefs.open = false;
    $("summary", prefs)?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || $("dialog[open]")) return;
    if (event.key === "/") {
      event.preventDefault();
      $<HTMLInputElement>("#q")?.select();
    } else if (event.key === "?") {
      event.preventDefault();
      afterPaint(help);
    }
  });
}

/** Lets a link to another language keep what is searched for, and how it is filtered. */
function keepQuery(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(":is(.languages, .offer) a[hreflang]") : null;
  if (!link) return;
  link.search = location.search;
  link.hash = location.hash;
}

/** Notes that the language of the reader was offered: who goes on without an answer is not asked again, and has the menu of languages. */
function offered(): void {
  try {
    localStorage.setItem("mm-offered", "1");
  } catch {
    // The offer is not shown where nothing can be kept.
  }
  const end = (): void => { delete document.documentElement.dataset["offer"]; };
  for (const no of $$("[data-offer-no]")) no.addEventListener("click", end);
  leaving().addEventListener("abort", end); // its links are to this page
}

/** Changes from what is seen to the other theme. When that is the one of the system, the page follows the system again. */
function switchTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const theme = (document.documentElement.dataset["theme"] ?? system) === "dark" ? "light" : "dark";
  if (theme === system) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    if (theme === system) localStorage.removeItem("mm-theme");
    else localStorage.setItem("mm-theme", theme);
  } catch {
    // It stays for as long as the page.
  }
  toast(t(theme === system ? "layout.ui.theme_system" : `layout.ui.theme_${theme}`));
}

/** The keys, by what they do. The texts are the layout's. */
const keys: [string[], string][] = [
  [["/"], "search"], [["←", "→"], "move"], [["↑", "↓"], "zap"], [["0", "…", "9"], "digits"], [["Space"], "pause"], [["F"], "fullscreen"],
  [["M"], "mute"], [["P"], "pip"], [["C"], "captions"], [["B"], "sound"], [["L"], "favorite"], [["G"], "channels"], [["Backspace"], "last"], [["?"], "help"],
];

/** Shows the sheet of keys. */
export function help(): void {
  if ($("dialog[open]")) return;
  const rows = keys.map(([names, what]) => h("div", { class: "key-row" },
    h("dt", {}, ...names.map((name) => h("kbd", { class: "key" }, name))), h("dd", {}, t(`layout.ui.key_${what}`))));
  dialog(t("layout.ui.keys"), h("dl", { class: "keys" }, ...rows));
}
