/** The parts that the tabs of the operator's page are made of. Every text is shown as text, whatever a source or an event has in it. */

import { type Attributes, dialog, h } from "../dom";
import { moment, since, t } from "../texts";
import { words } from "./signin";

type Cell = Node | string | null | false;

let last = 0;

/** Makes a part with a heading. */
export function part(title: string, ...children: Cell[]): HTMLElement {
  const id = `operator-part-${++last}`;
  return h("section", { class: "operator-part", "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

/** Makes a table that scrolls sideways where it is wider than the page. Without rows it is a sentence. */
export function table(label: string, head: string[], rows: Cell[][], empty: string): HTMLElement {
  if (rows.length === 0) return h("p", { class: "soft" }, empty);
  return h("div", { class: "operator-scroll", role: "group", "aria-label": label, tabindex: 0 },
    h("table", {}, h("thead", {}, h("tr", {}, ...head.map((cell) => (cell ? h("th", { scope: "col" }, cell) : h("td", {}))))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell, n) => (n === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))))))));
}

/** Makes a list of names with their values. */
export function facts(...pairs: [string, Cell][]): HTMLElement {
  return h("dl", { class: "operator-facts" }, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value || "–")]));
}

/** Makes a mark of how something stands. */
export function badge(look: "good" | "fair" | "bad" | "none", text: string): HTMLElement {
  return h("span", { class: `badge ${look}` }, text);
}

/** Makes a moment, as long ago as it is. */
export function time(iso: string | null | undefined): HTMLElement | null {
  return iso ? h("time", { datetime: iso, title: moment(iso) }, since(iso)) : null;
}

/** Makes a text of a program: an id, an error, an event. */
export function code(text: string): HTMLElement {
  return h("code", { dir: "auto" }, text);
}

/** Makes what is shown when it is opened. */
export function more(title: Cell, ...children: Cell[]): HTMLElement {
  return h("details", { class: "operator-more" }, h("summary", {}, title), ...children);
}

/** Makes a text of several lines that scrolls by itself. */
export function lines(text: string, label: string): HTMLElement {
  return h("pre", { class: "operator-lines", tabindex: 0, role: "group", "aria-label": label, dir: "auto" }, text);
}

export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "button", click, ...attributes }, text);
}

/** A field of a dialog. */
export interface Field {
  name: string;
  label: string;
  kind?: "text" | "check";
  required?: boolean;
  longest?: number;
}

/** What is asked before something is done. */
export interface Question {
  title: string;
  /** What will happen. */
  text: string;
  /** The name of the button that does it. */
  label: string;
  danger?: boolean;
  fields?: Field[];
  /** Does it. What it rejects with is shown, and the dialog stays. */
  run(values: Record<string, string>): Promise<void>;
}

/** Asks before something is done, and does it. */
export function confirm({ title, text, label, danger = false, fields = [], run }: Question): void {
  const inputs = fields.map(({ name, kind, required = false, longest = 500 }) => (kind === "check"
    ? h("input", { name, type: "checkbox" }) : h("input", { name, required, maxlength: longest, autocomplete: "off" })));
  const wrong = h("div", { class: "wrong", role: "alert" });
  const go = h("button", { type: "submit", class: danger ? "button danger" : "button primary" }, label);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (go.disabled) return;
    go.disabled = true;
    go.setAttribute("aria-busy", "true");
    go.textContent = t("operator.ui.working");
    wrong.replaceChildren();
    try {
      await run(Object.fromEntries(inputs.map((input) => [input.name, input.type === "checkbox" ? String(input.checked) : input.value.trim()])));
      box.close();
    } catch (error) {
      go.disabled = false;
      go.removeAttribute("aria-busy");
      go.textContent = label;
      wrong.replaceChildren(...explain(error));
    }
  };
  const box = dialog(title, h("p", {}, text), h("form", { class: "operator-form", submit },
    ...fields.map((field, n) => h("label", { class: field.kind === "check" ? "operator-check" : "field" }, field.kind === "check" ? inputs[n]! : field.label, field.kind === "check" ? field.label : inputs[n]!)),
    h("div", { class: "row" }, go, button(t("operator.ui.cancel"), () => box.close())), wrong));
}

/** A refusal of a reload. */
export interface Refusal {
  file: string;
  figure: string;
  value: number;
  before: number;
  limit: number;
  reason: string;
}

/** Says why a call failed: with the refusals of a reload, and with when and where a job began that is already running. */
function explain(error: unknown): HTMLElement[] {
  const { refusals = [], since, where } = (error as { body?: { refusals?: Refusal[]; since?: string; where?: string } }).body ?? {};
  const text = h("p", {}, words(error), since ? h("span", {}, " (", t("operator.ui.running"), " ", time(since), ", ", h("bdi", {}, where ?? ""), ")") : null);
  return refusals.length ? [text, refusalTable(refusals)] : [text];
}

/** Makes the table of what was refused. */
export function refusalTable(refusals: Refusal[]): HTMLElement {
  return table(t("operator.ui.refusals"), [t("operator.ui.file"), t("operator.ui.reason_of"), t("operator.ui.now"), t("operator.ui.before"), t("operator.ui.limit")],
    refusals.map((it) => [it.file, it.reason, String(it.value), String(it.before), String(it.limit)]), t("operator.ui.no_refusals"));
}
