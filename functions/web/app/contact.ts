/**
 * The contact form. The challenge that distinguishes people from programs is drawn by a
 * script of its provider, which is loaded when the visitor begins to fill in the form.
 */

import { ask, callFromPage, Failure, signedIn } from "./api";
import { $, $$ } from "./dom";
import { locale, t } from "./texts";

/** The interface of the provider's script. */
interface Provider {
  render(element: HTMLElement, options: Record<string, unknown>): string;
  getResponse(id: string): string | undefined;
  reset(id: string): void;
}

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
  private provider: Promise<void> | null = null;
  private widget: string | null = null;

  constructor(private readonly form: HTMLFormElement) {
    this.button = $<HTMLButtonElement>("button", form)!;
    this.kind.addEventListener("change", () => this.choose());
    form.addEventListener("focusin", () => void this.load());
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

  /** Loads the script of the provider, and draws the challenge. */
  private load(): Promise<void> {
    return this.provider ??= new Promise<void>((resolve, reject) => {
      const script = document.createElement("script");
      const address = new URL(this.form.dataset["script"] ?? "", location.href);
      address.searchParams.set("render", "explicit"); // the provider draws nothing by itself
      script.src = address.href;
      script.addEventListener("load", () => resolve());
      script.addEventListener("error", reject);
      document.head.append(script);
    }).then(() => {
      const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      this.widget = api()!.render($("#human")!, {
        sitekey: this.form.dataset["siteKey"], language: locale, theme: document.documentElement.dataset["theme"] ?? theme,
        callback: () => { this.wrong.textContent = ""; },
      });
    }).catch(() => {
      this.provider = null; // the next field tries again
      this.tell(t("contact.ui.no_challenge"));
    });
  }

  private tell(text: string): void {
    this.wrong.textContent = text;
  }

  private async send(): Promise<void> {
    const bad = $$<HTMLInputElement>("input, textarea", this.form).find((field) => !field.checkValidity());
    for (const field of $$("[aria-invalid]", this.form)) field.removeAttribute("aria-invalid");
    if (bad) return this.mark(bad);
    await this.load();
    const token = this.widget === null ? "" : api()?.getResponse(this.widget) ?? "";
    if (this.widget === null || this.button.disabled) return;
    if (token === "") return this.tell(t("contact.ui.challenge"));
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
      api()?.reset(this.widget); // a token is good once
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

const api = (): Provider | undefined => (window as Window & { turnstile?: Provider }).turnstile;
