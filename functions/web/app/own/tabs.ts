/** A row of tabs that can be put in another order: the folders, or the sub-tabs of one. */

import { $, $$, h } from "../dom";
import { orderable } from "./order";

export interface Tab {
  id: string;
  name: string;
  count: number;
}

export interface Tabbing {
  /** The id of what the chosen tab shows. */
  panel: string;
  pick(id: string): void;
  move(id: string, to: number): void;
  ended(): void;
}

export class Tabs {
  private tabs: Tab[] = [];

  constructor(private readonly list: HTMLElement, private readonly tabbing: Tabbing) {
    list.addEventListener("click", (event) => {
      const id = tabOf(event)?.dataset["tab"];
      if (id) tabbing.pick(id);
    });
    list.addEventListener("keydown", (event) => this.key(event));
    void orderable(list, {
      moved: (from, to) => { const tab = this.tabs[from]; if (tab) tabbing.move(tab.id, to); },
      ended: () => tabbing.ended(),
    });
  }

  /** Arrows choose the tab beside; with Alt they move the tab. */
  private key(event: KeyboardEvent): void {
    const id = tabOf(event)?.dataset["tab"];
    const at = this.tabs.findIndex((tab) => tab.id === id);
    const end = this.tabs.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: end }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (to < 0 || to > end) return;
    if (event.altKey) this.tabbing.move(this.tabs[at]!.id, to);
    else this.tabbing.pick(this.tabs[to]!.id);
    $("[aria-selected=true]", this.list)?.focus();
  }

  draw(tabs: Tab[], chosen: string | undefined): void {
    const focused = this.list.contains(document.activeElement);
    this.tabs = tabs;
    this.list.replaceChildren(...tabs.map((tab) => this.tab(tab, tab.id === chosen)));
    const panel = document.getElementById(this.tabbing.panel);
    const now = $("[aria-selected=true]", this.list);
    if (now) panel?.setAttribute("aria-labelledby", now.id);
    if (focused) now?.focus();
    this.reveal();
  }

  private tab({ id, name, count }: Tab, chosen: boolean): HTMLElement {
    return h("button", {
      type: "button", role: "tab", class: "chip", id: `tab-${id}`, "data-tab": id, "aria-selected": String(chosen), "aria-controls": this.tabbing.panel, tabindex: chosen ? 0 : -1,
    }, h("span", { class: "tab-name", dir: "auto" }, name), h("span", { class: "count" }, String(count)));
  }

  /** Scrolls the row, and nothing else, so that the chosen tab is seen. */
  private reveal(): void {
    for (const tab of $$("[aria-selected=true]", this.list)) {
      const a = tab.getBoundingClientRect(), b = this.list.getBoundingClientRect();
      if (a.left < b.left || a.right > b.right) this.list.scrollLeft += a.left - b.left - 16;
    }
  }
}

function tabOf(event: Event): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>("[role=tab]") : null;
}
