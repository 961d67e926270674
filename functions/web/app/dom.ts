/** Building what the server did not: elements, icons, messages, dialogs. */

import { t } from "./texts";

type Child = Node | string | null | undefined | false;

/** Attributes of an element. A function listens to the event named by its key; true is an empty attribute, false and null none. */
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

/** Makes an element. Texts are texts: nothing here reads markup. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of SVG. */
export function s<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

/** Finds an element of the page, or null. */
export function $<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E | null {
  return within.querySelector<E>(selector);
}

/** Finds all elements of the page. */
export function $$<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E[] {
  return [...within.querySelectorAll<E>(selector)];
}

/** Makes an icon, which says nothing by itself. */
export function icon(name: string): SVGSVGElement {
  const use = s("use", { href: `${document.body.dataset["icons"] ?? ""}#${name}` });
  return s("svg", { class: "icon", "aria-hidden": "true" }, use);
}

/** Makes a button with an icon, whose label is told to those who do not see it. */
export function iconButton(name: string, label: string, onclick: (event: MouseEvent) => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click: onclick, ...attributes }, icon(name));
}

/** Shows another icon in an element that has one. */
export function setIcon(element: Element, name: string): void {
  $("use", element)?.setAttribute("href", `${document.body.dataset["icons"] ?? ""}#${name}`);
}

/** Tells something for a few seconds, or for as long as is given, with something to do about it when `action` is given. */
export function toast(text: string, action?: { label: string; run: () => void }, lasts = action ? 8000 : 5000): void {
  const box = document.getElementById("toasts");
  if (!box) return;
  const item = h("div", { class: "toast" }, h("span", {}, text));
  if (action) item.append(h("button", { type: "button", class: "link", click: () => { item.remove(); action.run(); } }, action.label));
  while (box.children.length > 2) box.firstElementChild?.remove();
  box.append(item);
  setTimeout(() => item.remove(), lasts);
}

/**
 * Opens a modal dialog with a title, and returns it. It is removed when it is
 * closed: by Escape, by its button, by a click beside it or by `close()`. Focus
 * returns to where it was.
 */
export function dialog(title: string, ...children: Child[]): HTMLDialogElement {
  const id = `dialog-${Math.random().toString(36).slice(2)}`;
  const box: HTMLDialogElement = h("dialog", { class: "dialog", "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title), iconButton("close", t("layout.ui.close"), () => box.close())),
    h("div", { class: "dialog-body" }, ...children));
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

let waiting = false;

/**
 * Does something when the button that was pressed has been painted so: to open a
 * dialog takes a slow phone longer than people wait for a sign. What is pressed
 * meanwhile does nothing.
 */
export function afterPaint(run: () => void): void {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => setTimeout(() => {
    waiting = false;
    run();
  }));
}

/** Reports whether keys that are pressed are typed into something. */
export function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=range]):not([type=checkbox]), textarea, select"));
}
