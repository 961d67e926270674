/** Asking people: for a name, for a yes, for one of several things to do. */

import { Failure } from "../api";
import { dialog, h, icon, toast } from "../dom";
import { t } from "../texts";
import { most } from "./shelf";

/** Returns what to tell of an error. */
export function words(error: unknown): string {
  return error instanceof Failure ? error.message : t("layout.ui.failed");
}

/** Tells of an error. */
export function tellOf(error: unknown): void {
  toast(words(error));
}

/** Counts the characters of a text as people do. */
export function letters(text: string): number {
  if (!("Segmenter" in Intl)) return [...text].length;
  return [...new Intl.Segmenter().segment(text)].length;
}

export interface Naming {
  label: string;
  action: string;
  value?: string;
  /** What is to be known before. */
  note?: string | null;
  /** Keeps the name; what it rejects with is told beside it. */
  save(name: string): Promise<unknown>;
}

/** Makes a form that asks for the name of a folder or sub-tab. `done` is called when it is kept. */
export function nameForm({ label, action, value = "", note, save }: Naming, done: () => void): HTMLFormElement {
  const left = h("span", { class: "soft small name-count" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const button = h("button", { class: "button primary", type: "submit" }, action);
  const input = h("input", { name: "name", required: true, maxlength: 1200, autocomplete: "off", dir: "auto", value, input: check });
  function check(): void {
    const n = letters(input.value.trim());
    left.textContent = t("keep.ui.letters", { n, most: most.name });
    left.classList.toggle("over", n > most.name);
    button.disabled = n === 0 || n > most.name;
  }
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    wrong.textContent = "";
    try {
      await save(input.value.trim());
      done();
    } catch (error) {
      wrong.textContent = words(error);
      check();
      input.focus();
    }
  }
  const form = h("form", { class: "name-form", submit },
    note && h("p", { class: "soft" }, note),
    h("label", { class: "field" }, h("span", { class: "name-label" }, h("span", {}, label), left), input),
    h("div", { class: "row" }, button), wrong);
  check();
  return form;
}

/** Asks for a name in a dialog. */
export function askName(title: string, naming: Naming): void {
  const form = nameForm(naming, () => box.close());
  const box = dialog(title, form);
  form.querySelector("input")?.select();
}

/** Asks whether to do what cannot be undone, or not wholly, and does it on a yes. */
export function confirm(title: string, text: string, action: string, run: () => void): void {
  const no = h("button", { class: "button", type: "button", click: () => box.close() }, t("keep.ui.cancel"));
  const yes = h("button", { class: "button danger", type: "button", click: () => { box.close(); run(); } }, action);
  const box = dialog(title, h("p", {}, text), h("div", { class: "row" }, no, yes));
  no.focus();
}

export interface Act {
  icon: string;
  label: string;
  run: () => void;
  danger?: boolean;
  off?: boolean;
}

/** Shows things to do with something. */
export function menu(title: string, acts: Act[]): void {
  const buttons = acts.map((act) => h("button", {
    class: act.danger ? "act danger" : "act", type: "button", disabled: act.off, click: () => { box.close(); act.run(); },
  }, icon(act.icon), h("span", {}, act.label)));
  const box = dialog(title, h("div", { class: "acts" }, ...buttons));
  buttons.find((button) => !button.disabled)?.focus();
}
