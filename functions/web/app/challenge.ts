/**
 * The challenge that distinguishes people from programs, which a form shows. A script of
 * its provider draws it, which is loaded when the visitor begins to fill in the form.
 */

import { locale, t } from "./texts";

/** The interface of the provider's script. */
interface Provider {
  render(element: HTMLElement, options: Record<string, unknown>): string;
  getResponse(id: string): string | undefined;
  reset(id: string): void;
}

export class Challenge {
  private provider: Promise<void> | null = null;
  private widget: string | null = null;

  /** Draws the challenge of a form, whose attributes name the provider, into an element. `tell` is called with what is wrong, and with "" when it is not any more. */
  constructor(private readonly form: HTMLFormElement, private readonly element: HTMLElement, private readonly tell: (text: string) => void) {
    form.addEventListener("focusin", () => void this.load());
  }

  /** Returns the token of the challenge; null when there is none yet, after it has told why. */
  async token(): Promise<string | null> {
    await this.load();
    if (this.widget === null) return null;
    const token = api()?.getResponse(this.widget) || null;
    if (token === null) this.tell(t("contact.ui.challenge"));
    return token;
  }

  /** Shows another challenge: a token is good once. */
  reset(): void {
    if (this.widget !== null) api()?.reset(this.widget);
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
      this.widget = api()!.render(this.element, {
        sitekey: this.form.dataset["siteKey"], language: locale, theme: document.documentElement.dataset["theme"] ?? theme,
        callback: () => this.tell(""),
      });
    }).catch(() => {
      this.provider = null; // the next field tries again
      this.tell(t("contact.ui.no_challenge"));
    });
  }
}

const api = (): Provider | undefined => (window as Window & { turnstile?: Provider }).turnstile;
