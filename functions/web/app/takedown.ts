/** The form of takedown requests and counter-notices, and the status of one, to which the link of its receipt leads. */

import { ask, callFromPage, Failure, signedIn } from "./api";
import { Challenge } from "./challenge";
import { $, $$, h } from "./dom";
import { moment, t } from "./texts";

/** Something that a request names. */
interface Target {
  given: string;
  kind: string | null;
  value: string | null;
  name: string | null;
}

interface Filed {
  number: number;
  next: string;
  targets: Target[];
}

interface Status {
  number: number;
  kind: string;
  state: string;
  at: string;
  targets: Target[];
  decisions: { decision: string; text: string; at: string }[];
}

/** Makes the form work, and shows the status that the address names. */
export function takedown(): void {
  const form = $<HTMLFormElement>("#takedown");
  if (form) new Form(form);
  const show = (): void => void status();
  show();
  addEventListener("hashchange", show);
}

/** Shows the status of the request whose number and secret are in the fragment of the address, which reaches no log. */
async function status(): Promise<void> {
  const box = $("#takedown-status")!;
  const [, number, secret] = /^#(\d{1,9})\.([a-z0-9]{1,64})$/.exec(location.hash) ?? [];
  if (!number || !secret) return;
  box.hidden = false;
  const title = h("h2", {}, t("takedown.ui.status", { number }));
  try {
    const it = await ask<Status>("GET", `/api/takedowns/${number}/status`, undefined, { "X-Takedown-Secret": secret });
    box.replaceChildren(title,
      h("p", {}, h("strong", {}, t(`takedown.ui.state_${it.state}`)), " · ", t(`takedown.ui.kind_${it.kind}`), " · ", h("time", { datetime: it.at }, moment(it.at))),
      targets(it.targets),
      ...it.decisions.flatMap((one) => [h("h3", {}, t(`takedown.ui.decision_${one.decision}`), " · ", h("time", { datetime: one.at }, moment(one.at))), ...one.text.split("\n").filter(Boolean).map((line) => h("p", { dir: "auto" }, line))]));
  } catch (error) {
    box.replaceChildren(title, h("p", { class: "wrong", role: "alert" }, error instanceof Failure ? error.message : t("layout.ui.failed")));
  }
  box.focus();
}

/** Makes the list of what a request names, with what the catalog has by that name. */
function targets(list: Target[]): HTMLElement {
  return h("ul", {}, ...list.map((it) => h("li", {}, h("code", { dir: "auto" }, it.value ?? it.given), it.name !== null && h("span", { dir: "auto" }, " ", it.name),
    " ", h("span", { class: "soft" }, t(it.kind === null ? "takedown.ui.unknown" : `takedown.ui.found_${it.kind}`)))));
}

class Form {
  private readonly wrong = $("#takedown-wrong")!;
  private readonly button: HTMLButtonElement;
  private readonly challenge: Challenge;

  constructor(private readonly form: HTMLFormElement) {
    this.button = $<HTMLButtonElement>("button", form)!;
    this.challenge = new Challenge(form, $("#human")!, (text) => this.tell(text));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send();
    });
    this.button.disabled = false; // the browser itself would send the fields in an address, and nobody would get them
  }

  private tell(text: string): void {
    this.wrong.textContent = text;
  }

  private async send(): Promise<void> {
    for (const field of $$("[aria-invalid]", this.form)) field.removeAttribute("aria-invalid");
    const bad = $$<HTMLInputElement>("input, select, textarea", this.form).find((field) => !field.checkValidity());
    if (bad) return this.mark(bad);
    const token = await this.challenge.token();
    if (token === null || this.button.disabled) return;
    this.button.disabled = true;
    this.tell("");
    try {
      const body = { ...this.fields(), challenge_response: token };
      this.show(await (signedIn() ? callFromPage<Filed>("POST", "/api/takedowns", body) : ask<Filed>("POST", "/api/takedowns", body)));
    } catch (error) {
      this.tell(error instanceof Failure ? error.message : t("layout.ui.failed"));
      const param = error instanceof Failure ? error.body["param"] : null;
      if (typeof param === "string") $(`[name="${CSS.escape(param)}"]`, this.form)?.setAttribute("aria-invalid", "true");
      this.challenge.reset();
    }
    this.button.disabled = false;
  }

  private show(filed: Filed): void {
    const sent = $("#takedown-sent")!;
    this.form.hidden = true;
    sent.hidden = false;
    sent.replaceChildren(h("h3", {}, t("takedown.ui.sent", { number: filed.number })), h("p", {}, filed.next), targets(filed.targets));
    sent.focus();
  }

  private mark(field: HTMLInputElement): void {
    field.setAttribute("aria-invalid", "true");
    field.focus();
    this.tell(t(field.validity.valueMissing ? "contact.ui.missing" : "contact.ui.invalid", { field: field.labels?.[0]?.textContent?.trim() ?? "" }));
  }

  /** Returns the fields that are filled in. Each line of the targets is one. */
  private fields(): Record<string, unknown> {
    const data = new FormData(this.form), answers = Number(this.form.dataset["answers"] ?? 0);
    const all: Record<string, unknown> = { good_faith: true };
    for (const name of ["name", "organization", "email", "text", "signature", "kind"]) {
      const value = String(data.get(name) ?? "").trim();
      if (value) all[name] = value;
    }
    if (answers) all["answers"] = answers;
    else all["targets"] = String(data.get("targets")).split("\n").map((line) => line.trim()).filter(Boolean);
    return all;
  }
}
