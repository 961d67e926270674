/** Menus of the stage: a button, and choices that arrow keys move through. */

import { $$, h, icon, type Attributes } from "../dom";

type Id = string | number;

export interface Section {
  title: string;
  /** What can be chosen. A note says more of a choice, such as why it failed. */
  choices: { id: Id; label: string; note?: string | undefined }[];
  chosen: Id | null;
  choose(id: Id): void;
}

export interface Menu {
  button: HTMLButtonElement;
  box: HTMLElement;
}

/** Makes a menu, whose sections are asked for each time that it opens. The box is to stand beside the button. */
export function menu(label: string, attributes: Attributes, face: (Node | string)[], sections: () => Section[]): Menu {
  const box = h("div", { class: "menu", role: "menu", "aria-label": label, popover: "auto", keydown: (event: KeyboardEvent) => steer(event, box) });
  const button = h("button", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", ...attributes }, ...face);
  button.popoverTargetElement = box;
  box.addEventListener("beforetoggle", (event) => {
    if (event.newState !== "open") return;
    box.replaceChildren(...sections().map((section) => draw(section, box)));
    place(box, button);
  });
  box.addEventListener("toggle", (event) => {
    const open = event.newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (open && !box.contains(document.activeElement)) begin(box);
  });
  // The event above comes a moment after the menu is seen; a key pressed meanwhile is the menu's, and not the stage's.
  button.addEventListener("keydown", (event) => {
    if (!box.matches(":popover-open") || event.key === "Enter" || event.key === " " || event.key === "Escape") return;
    begin(box);
    steer(event, box);
  });
  return { button, box };
}

/** Returns a menu whose button is an icon. */
export function iconMenu(name: string, label: string, attributes: Attributes, sections: () => Section[]): Menu {
  return menu(label, { ...attributes, class: `icon-button ${attributes["class"] ?? ""}`, "aria-label": label, title: label }, [icon(name)], sections);
}

/** Takes the focus to what is chosen, or to the first item. */
function begin(box: HTMLElement): void {
  (box.querySelector<HTMLElement>("[aria-checked=true]") ?? items(box)[0])?.focus();
}

function items(box: HTMLElement): HTMLElement[] {
  return $$("[role=menuitemradio]", box);
}

function draw(section: Section, box: HTMLElement): HTMLElement {
  return h("div", { role: "group", "aria-label": section.title },
    h("div", { class: "menu-title", "aria-hidden": "true" }, section.title),
    ...section.choices.map(({ id, label, note }) => h("button", {
      type: "button", class: "menu-item", role: "menuitemradio", tabindex: -1, "aria-checked": String(id === section.chosen),
      click: () => { box.hidePopover(); section.choose(id); },
    }, icon("check"), h("span", { dir: "auto" }, label), note ? h("small", {}, note) : null)));
}

/** Puts the box above its button, its end at the button's end; what a narrow screen does is said by its style. */
function place(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const above = at.top > innerHeight / 2;
  box.style.insetInlineEnd = `${Math.max(8, document.documentElement.clientWidth - at.right)}px`;
  box.style.insetBlockEnd = above ? `${innerHeight - at.top + 8}px` : "auto";
  box.style.insetBlockStart = above ? "auto" : `${at.bottom + 8}px`;
  box.style.maxBlockSize = `${(above ? at.top : innerHeight - at.bottom) - 16}px`;
}

/** Keys within a menu move in it, and do nothing else. */
function steer(event: KeyboardEvent, box: HTMLElement): void {
  const all = items(box);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
  event.stopPropagation();
  if (to !== undefined) all[to % all.length]?.focus();
  else if (event.key === "Tab" || event.key === "ArrowLeft" || event.key === "Backspace") box.hidePopover();
  else return;
  event.preventDefault();
}
