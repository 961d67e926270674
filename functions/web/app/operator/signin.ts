/** The form by which the operator signs in. */

import { Failure } from "../api";
import { h } from "../dom";
import { t } from "../texts";
import { Session, wrongMetrics } from "./session";

const longestName = 60;

/** What the form needs. */
export interface Entrance {
  /** The name of a field for the token of the numbers; null for a form without one. */
  metrics: string | null;
  /** Why the operator has to sign in again; may be empty. */
  problem: string;
  entered(session: Session): void;
}

/** Asks for the tokens and the name of the operator in place of what a box shows. */
export function signIn(box: HTMLElement, { metrics, problem, entered }: Entrance): void {
  const secret = (name: string, required: boolean): HTMLInputElement => h("input", { name, type: "password", required, autocomplete: "off", maxlength: 500 });
  const token = secret("token", true), numbers = secret("metrics", false);
  const name = h("input", { name: "by", required: true, autocomplete: "name", maxlength: longestName });
  const wrong = h("p", { class: "wrong", role: "alert" }, problem);
  const button = h("button", { type: "submit", class: "button primary" }, t("moderation.ui.enter"));
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    wrong.textContent = "";
    try {
      entered(await Session.enter(token.value.trim(), name.value.trim(), numbers.value.trim()));
    } catch (error) {
      const ofNumbers = metrics !== null && error instanceof Failure && error.code === wrongMetrics;
      wrong.textContent = ofNumbers ? `${metrics}: ${words(error)}` : words(error);
      button.disabled = false;
      (ofNumbers ? numbers : token).focus();
    }
  };
  box.replaceChildren(h("form", { class: "panel form", submit },
    h("label", { class: "field" }, t("moderation.ui.token"), token),
    metrics !== null && h("label", { class: "field" }, metrics, numbers),
    h("label", { class: "field" }, t("moderation.ui.by"), name),
    h("p", { class: "soft small" }, t("moderation.ui.token_note")), h("div", { class: "row" }, button), wrong));
  token.focus();
}

/** Says why a call failed, and what to do when the service has no token to compare with. */
export function words(error: unknown): string {
  if (!(error instanceof Failure)) return t("layout.ui.failed");
  const configured = error.body["error"] !== "operator_token_unavailable";
  return configured ? error.message : `${error.message} ${t("moderation.ui.set_token")}`;
}
