/** Reporting what somebody wrote, and hiding what they write from this visitor. */

import { call, Failure } from "../api";
import { dialog, h, toast } from "../dom";
import { menu } from "../own/ask";
import { t } from "../texts";

/** What was written, and where. */
export interface Written {
  kind: "message" | "comment";
  channel_id: string;
  id: string;
  author: string;
}

/** What is done with a list when an author was hidden, or is shown again. */
export interface Shown {
  hide(author: string): void;
  show(author: string): void;
}

/** Why something may be reported, as the service takes it. */
const reasons = ["spam", "abuse", "hate", "sexual", "illegal", "other"] as const;

/** Shows what a visitor can do about something that another wrote. */
export function actsOn(it: Written, shown: Shown): void {
  menu(it.author, [
    { icon: "flag", label: t("guard.ui.report"), run: () => report(it) },
    { icon: "hidden", label: t("guard.ui.hide"), run: () => void hide(it, shown) },
  ]);
}

/** Asks why something is reported, and reports it to the operator. */
export function report(it: Pick<Written, "channel_id" | "id"> & { kind: Written["kind"] | "library" }): void {
  const choices = reasons.map((reason) => h("label", { class: "pay-choice" },
    h("input", { type: "radio", name: "reason", value: reason, required: true }), h("span", {}, t(`guard.ui.reason_${reason}`))));
  const problem = h("p", { class: "wrong", role: "alert" });
  const button = h("button", { type: "submit", class: "button primary" }, t("guard.ui.send"));
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    try {
      const { kind, channel_id, id } = it;
      await call("POST", "/api/moderation/reports", { kind, channel_id, id, reason: new FormData(form).get("reason") });
      box.close();
      toast(t("guard.ui.reported"));
    } catch (error) {
      problem.textContent = words(error);
      button.disabled = false;
    }
  };
  const form = h("form", { class: "pay", submit },
    h("fieldset", { class: "pay-choices" }, h("legend", {}, t("guard.ui.reason")), ...choices), h("div", { class: "row" }, button), problem);
  const box = dialog(t("guard.ui.report"), form);
  form.querySelector("input")?.focus();
}

/** Hides what an author writes from this visitor, with a way back. */
async function hide(it: Written, shown: Shown): Promise<void> {
  try {
    const { kind, channel_id, id } = it;
    const { hidden } = await call<{ hidden: { id: string } }>("POST", "/api/moderation/hidden", { kind, channel_id, id });
    shown.hide(it.author);
    toast(t("guard.ui.hidden", { name: it.author }), {
      label: t("guard.ui.undo"),
      run: () => void call("DELETE", `/api/moderation/hidden/${encodeURIComponent(hidden.id)}`).then(() => shown.show(it.author), (error) => toast(words(error))),
    });
  } catch (error) {
    toast(words(error));
  }
}

function words(error: unknown): string {
  return error instanceof Failure ? error.message : t("layout.ui.failed");
}
