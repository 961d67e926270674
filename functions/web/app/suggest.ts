/**
 * What the search field offers below it: without words, what was searched for and
 * watched in this browser; with words, on a page that is not a list, the channels and
 * lists that they may mean. A list searches while one types, so there its own results
 * are the answer, and nothing is laid over them.
 *
 * The focus stays in the field, and the arrow keys walk over the options: a listbox as
 * WAI-ARIA describes it. What forgets a search is an option of its own, which the arrow
 * to the right leads to, so that a remote control reaches it.
 */

import { $, $$, h } from "./dom";
import { name } from "./page";
import { recent, watched } from "./suggest/recent";
import { forget, note } from "./suggest/searches";

const pause = 120; // milliseconds after a key in which the next one is awaited

/** Makes the search field offer something, and does so at once when it has the focus. */
export function suggest(): void {
  const field = $<HTMLInputElement>("#q");
  if (field?.form && !$("#suggestions")) new Suggestions(field, field.form).start();
}

/** Reports whether the page is a list, which searches while one types. */
const live = (): boolean => ["home", "country"].includes(name());

class Suggestions {
  private readonly box = h("div", { id: "suggestions", class: "suggestions", role: "listbox", "aria-label": $("label[for=q]")?.textContent, hidden: true });
  private readonly home: string;
  private active: HTMLElement | null = null;
  private asked = new AbortController();
  private timer = 0;

  constructor(private readonly field: HTMLInputElement, private readonly form: HTMLFormElement) {
    this.home = form.getAttribute("action") ?? "/";
  }

  start(): void {
    const { box, field, form } = this;
    form.append(box);
    for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": box.id, "aria-expanded": "false" })) field.setAttribute(name, value);
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || box.hidden || !this.walk(event.key)) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // the list of the page walks by arrows too
    }, { capture: true });
    field.addEventListener("input", () => {
      this.stop();
      if (!field.value.trim() || live()) void this.offer();
      else this.timer = window.setTimeout(() => void this.offer(), pause);
    });
    field.addEventListener("focus", () => void this.offer());
    field.addEventListener("click", () => { if (box.hidden) void this.offer(); });
    field.addEventListener("blur", () => this.close());
    box.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
    box.addEventListener("click", (event) => this.press(event));
    form.addEventListener("submit", () => {
      note(field.value);
      this.close();
    });
    document.addEventListener("click", (event) => { // a channel that a search found
      if (event.target instanceof Element && event.target.closest("#cards .card-link")) note(new URLSearchParams(location.search).get("q") ?? "");
    }, { capture: true });
    if (document.activeElement === field) void this.offer();
  }

  /** Offers what there is for what stands in the field. */
  private async offer(): Promise<void> {
    this.stop();
    const { signal } = (this.asked = new AbortController());
    const words = this.field.value.trim();
    if (words) return live() ? this.show() : this.ask(words, signal);
    this.show(...recent([], this.home));
    const channels = await watched();
    if (!signal.aborted && channels.length > 0) this.show(...recent(channels, this.home));
  }

  private async ask(words: string, signal: AbortSignal): Promise<void> {
    const path = `${this.home.replace(/\/$/, "")}/suggest?q=${encodeURIComponent(words)}`;
    const text = await fetch(path, { headers: { Accept: "text/html" }, credentials: "omit", signal }).then((answer) => answer.ok ? answer.text() : "").catch(() => "");
    if (!signal.aborted) this.show(...new DOMParser().parseFromString(text, "text/html").body.children);
  }

  private show(...parts: Element[]): void {
    this.choose(null);
    this.box.replaceChildren(...parts);
    const options = $$("[role=option]", this.box);
    options.forEach((option, at) => { option.id = `suggestion-${at}`; });
    this.box.hidden = options.length === 0 || document.activeElement !== this.field;
    this.field.setAttribute("aria-expanded", String(!this.box.hidden));
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.asked.abort();
  }

  private close(): void {
    this.stop();
    this.show();
  }

  private choose(option: HTMLElement | null): void {
    this.active?.setAttribute("aria-selected", "false");
    this.active = option;
    if (!option) return this.field.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", option.id);
  }

  /** Does what a key is for while options are shown, and reports whether it is for anything. */
  private walk(key: string): boolean {
    const { active } = this;
    const row = active?.closest<HTMLElement>(".suggest-row");
    if (key === "ArrowDown" || key === "ArrowUp") return this.step(key === "ArrowDown" ? 1 : -1, row ? $(".suggest", row) : active);
    if (row && (key === "ArrowRight" || key === "ArrowLeft")) this.choose($(key === "ArrowRight" ? ".suggest-drop" : ".suggest", row));
    else if (row && key === "Delete") $(".suggest-drop", row)?.click();
    else if (active && key === "Enter") active.click();
    else if (key === "Escape") this.close();
    else return false;
    return true;
  }

  /** Chooses the option after or before another; before the first stands the field. Beyond the ends the key leads on over the page, and nothing is offered any more. */
  private step(by: 1 | -1, from: HTMLElement | null): boolean {
    const options = [null, ...$$("[role=option]:not(.suggest-drop)", this.box)];
    const to = options[options.indexOf(from) + by];
    if (to === undefined) this.close();
    else this.choose(to);
    return to !== undefined;
  }

  private press(event: Event): void {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null;
    if (!pressed) return;
    const { forget: what, search, channel } = pressed.dataset;
    if (what !== undefined) {
      forget(what || undefined);
      return void this.offer();
    }
    note(search ?? this.field.value);
    if (channel) plays();
    this.field.blur();
  }
}

/** Lets the page of the channel that is opened play at once. */
function plays(): void {
  try {
    sessionStorage.setItem("mm-play", "1");
  } catch {
    // The channel waits for a press.
  }
}
