/** Asking a person what is wrong with a channel, and telling the service. */

import { call, Failure } from "../api";
import { dialog, h, toast } from "../dom";
import { t } from "../texts";
import type { FailureCode } from "../types";

/** What viewers see, in their words, and the failure code that each is reported as. */
const choices: [string, FailureCode][] = [
  ["start", "sem_resposta"], ["stops", "playlist"], ["silent", "codec"], ["wrong", "sumiu"], ["blocked", "geo"], ["improper", "outro"],
];

/** Opens a dialog that asks what is wrong with a channel. */
export function reportDialog(channel: string): void {
  const send = h("button", { type: "submit", class: "button primary" }, t("panel.ui.send"));
  const options = choices.map(([what, code], i) => h("label", { class: "report-choice" },
    h("input", { type: "radio", name: "code", value: code, required: true, autofocus: i === 0 }),
    h("span", {}, t(`panel.ui.choice_${what}`))));
  const problem = h("p", { class: "health-problem", role: "alert" });
  const form: HTMLFormElement = h("form", { class: "report", submit: (event: SubmitEvent) => {
    event.preventDefault();
    send.disabled = true;
    problem.textContent = "";
    tell(channel, String(new FormData(form).get("code"))).then((thanks) => { box.close(); toast(thanks); }, (error: unknown) => {
      problem.textContent = error instanceof Failure ? error.message : t("layout.ui.failed");
      send.disabled = false;
    });
  } }, h("fieldset", {}, h("legend", {}, t("panel.ui.report_text")), ...options), problem, h("div", { class: "row" }, send));
  const box = dialog(t("panel.ui.report"), form);
}

/** Sends a report, and returns the words of thanks. */
async function tell(channel: string, code: string): Promise<string> {
  const { counted } = await call<{ counted: boolean }>("POST", "/api/play-report", { channel_id: channel, ok: false, code });
  document.dispatchEvent(new CustomEvent("mm-reported"));
  return t(counted ? "panel.ui.thanks" : "panel.ui.again");
}
