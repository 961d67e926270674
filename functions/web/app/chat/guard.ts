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

/** A list that shows what was written. */
export interface Shown {
  hide(author: string): void;
  show(author: string): void;
}

const longest = 500; // characters of a reason

/** Shows what a visitor can do about something that another wrote. */
export function actsOn(it: Written, shown: Shown): void {
  menu(it.author, [
    { icon: "flag", label: t("guard.ui.report"), run: () => report(it) },
    { icon: "hidden", label: t("guard.ui.hide"), run: () => void hide(it, shown) },
  ]);
}

/** Asks why something is reported, and reports it to the operator. */
function report(it: Written): void {
  const reason = h("textarea", { name: "reason", rows: 3, required: true, maxlength: longest, autocomplete: "off" });
  const problem = h("p", { class: "wrong", role: "alert" });
  const button = h("button", { type: "submit", class: "button primary" }, t("guard.ui.send"));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (button.disabled || reason.value.trim() === "") return;
    button.disabled = true;
    try {
      const { kind, channel_id, id } = it;
      await call("POST", "/api/moderation/reports", { kind, channel_id, id, reason: reason.value.trim() });
      box.close();
      toast(t("guard.ui.reported"));
    } catch (error) {
      problem.textContent = words(error);
      button.disabled = false;
    }
  };
  const box = dialog(t("guard.ui.report"), h("form", { class: "report", submit }, h("label", { class: "field" }, t("guard.ui.reason"), reason), h("div", { class: "row" }, button), problem));
  reason.focus();
}

/** Hides what an author writes from this visitor, with a way back. */
async function hide(it: Written, shown: Shown): Promise<void> {
  try {
    const { kind, channel_id, id } = it;
    const hidden = await call<{ id: string }>("POST", "/api/moderation/hidden", { kind, channel_id, id });
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
