/** The contact form. */

import { ask, callFromPage, Failure, signedIn } from "./api";
import { Challenge } from "./challenge";
import { $, $$ } from "./dom";
import { t } from "./texts";

/** Makes the contact form work. */
export function contact(): void {
  const form = $<HTMLFormElement>("#contact");
  if (form) new Contact(form);
}

class Contact {
  private readonly begun = Date.now();
  private readonly wrong = $("#contact-wrong")!;
  private readonly kind = $<HTMLSelectElement>("#tipo")!;
  private readonly button: HTMLButtonElement;
  private readonly challenge: Challenge;

  constructor(private readonly form: HTMLFormElement) {
    this.button = $<HTMLButtonElement>("button", form)!;
    this.kind.addEventListener("change", () => this.choose());
    this.challenge = new Challenge(form, $("#human")!, (text) => this.tell(text));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send();
    });
    this.choose();
    this.button.disabled = false; // the browser itself would send the fields in an address, and nobody would get them
  }

  /** Shows the fields of the kind of contact that is chosen. */
  private choose(): void {
    $("#offer")!.hidden = this.kind.value === "";
  }

  private tell(text: string): void {
    this.wrong.textContent = text;
  }

  private async send(): Promise<void> {
    const bad = $$<HTMLInputElement>("input, textarea", this.form).find((field) => !field.checkValidity());
    for (const field of $$("[aria-invalid]", this.form)) field.removeAttribute("aria-invalid");
    if (bad) return this.mark(bad);
    const token = await this.challenge.token();
    if (token === null || this.button.disabled) return;
    this.button.disabled = true;
    this.tell("");
    try {
      const body = { ...this.fields(), form_ts: this.begun, challenge_response: token };
      await (signedIn() ? callFromPage("POST", "/api/contact", body) : ask("POST", "/api/contact", body));
      this.form.hidden = true;
      const sent = $("#contact-sent")!;
      sent.hidden = false;
      sent.focus();
    } catch (error) {
      this.tell(error instanceof Failure ? error.message : t("layout.ui.failed"));
      const param = error instanceof Failure ? error.body["param"] : null;
      if (typeof param === "string") $(`[name="${CSS.escape(param)}"]`, this.form)?.setAttribute("aria-invalid", "true");
      this.challenge.reset();
    }
    this.button.disabled = false;
  }

  private mark(field: HTMLInputElement): void {
    field.setAttribute("aria-invalid", "true");
    field.focus();
    this.tell(t(field.validity.valueMissing ? "contact.ui.missing" : "contact.ui.invalid", { field: field.labels?.[0]?.textContent?.trim() ?? "" }));
  }

  /** Returns the fields that are filled in; those of an offer only when one is chosen. */
  private fields(): Record<string, string | string[]> {
    const all: Record<string, string | string[]> = {};
    for (const [name, value] of new FormData(this.form)) {
      if (typeof value !== "string" || value.trim() === "" || !["name", "email", "message", ...(this.kind.value ? offer : [])].includes(name)) continue;
      if (name === "espaco") all[name] = [...(all[name] as string[] | undefined ?? []), value];
      else all[name] = value.trim();
    }
    return all;
  }
}

const offer = ["tipo", "empresa", "site", "orcamento", "espaco", "duracao", "pagamento"];
