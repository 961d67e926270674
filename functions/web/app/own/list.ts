/** A list of channels that comes in pages: favorites, or history. */

import { call, isOwner } from "../api";
import { cardsOf } from "../cards";
import { $ } from "../dom";
import { leaving } from "../page";
import { count } from "../texts";
import type { Page } from "../types";
import { words } from "./ask";
import { GoneRows } from "./gone";
import { broken, carded, lineUp, show, type Shown } from "./rows";

const at = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E;
const size = 50;

export interface Listing<T extends Shown> {
  path: string;
  /** Key of the text that says how many there are. */
  total: string;
  /** Makes the element of the list that shows an item. */
  row(item: T): HTMLElement;
}

export class List<T extends Shown> {
  readonly items: T[] = [];
  private total = 0;
  private next: number | null = 0;
  private reading = false;
  private reads = 0; // times that the list began anew: what was asked for before belongs to another list
  private readonly left = leaving();
  private readonly box = at("items");
  private readonly more = at("more");
  private readonly gone: GoneRows;

  constructor(private readonly listing: Listing<T>) {
    this.gone = new GoneRows(listing.path, () => this.draw());
    this.box.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest("a[data-channel]")) lineUp($("h1")?.textContent ?? "", this.items);
    });
    $("button", this.more)?.addEventListener("click", () => void this.read());
    new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) void this.read(); }, { rootMargin: "600px" }).observe(this.more);
    addEventListener("pageshow", (event) => { if (event.persisted) this.again(); }, { signal: this.left });
    document.addEventListener("account", () => this.again(), { signal: this.left });
  }

  /** Reads anew what may have changed while another page was shown. */
  private again(): void {
    this.items.length = 0;
    this.next = 0;
    this.begin();
    void this.read();
  }

  /** Drops the page that is being read, if any. */
  private begin(): void {
    this.reads++;
    this.reading = false;
  }

  /** Reads the next page, or the first. A browser that never kept anything is not made a guest for it. */
  async read(): Promise<void> {
    if (this.reading || this.next === null) return;
    this.reading = true;
    const mine = this.reads;
    const dropped = (): boolean => this.left.aborted || mine !== this.reads;
    try {
      const page = isOwner() ? await call<Page<T>>("GET", `${this.listing.path}?limit=${size}&offset=${this.next}`) : null;
      const items = page?.items ?? [];
      const cards = await cardsOf(items.map((item) => item.channel_id));
      if (dropped()) return;
      if (this.next === 0) {
        this.box.replaceChildren();
        this.gone.show(page?.gone ?? []);
      }
      this.next = page?.next_offset ?? null;
      this.total = page?.total ?? 0;
      for (const item of items) this.add(carded(item, cards.get(item.channel_id)), this.items.length);
      this.draw();
    } catch (error) {
      if (dropped()) return;
      this.fail(error);
    }
    this.reading = false;
  }

  private fail(error: unknown): void {
    if (this.items.length === 0) this.box.replaceChildren();
    at("blank").replaceChildren(broken(words(error), () => {
      at("blank").replaceChildren();
      void this.read();
    }));
    this.more.hidden = true;
    this.box.removeAttribute("aria-busy");
  }

  /** Adds an item at a place, unless it is there already. */
  private add(item: T, place: number): void {
    if (this.items.some(({ channel_id }) => channel_id === item.channel_id)) return;
    this.items.splice(place, 0, item);
    this.box.insertBefore(this.listing.row(item), this.box.children[place] ?? null);
  }

  /** Puts an item at the top. */
  put(item: T): void {
    const had = this.items.length;
    this.add(item, 0);
    this.shift(this.items.length - had);
  }

  /** Takes an item out, and returns it. What had the focus gives it to the row that comes next. */
  take(id: string): T | undefined {
    const place = this.items.findIndex(({ channel_id }) => channel_id === id);
    const row = this.box.children[place];
    if (place < 0 || !row) return undefined;
    const focused = row.contains(document.activeElement);
    const beside = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    const [item] = this.items.splice(place, 1);
    this.shift(-1);
    if (focused) (beside ? $("a, button", beside) : at("main"))?.focus();
    return item;
  }

  /** Empties the list. */
  clear(): void {
    this.items.length = this.total = 0;
    this.next = null;
    this.begin();
    this.box.replaceChildren();
    this.gone.show([]);
    this.draw();
  }

  private shift(by: number): void {
    this.total += by;
    if (this.next !== null) this.next += by;
    this.draw();
  }

  private draw(): void {
    const any = this.items.length > 0;
    this.box.removeAttribute("aria-busy");
    this.box.hidden = !any;
    this.more.hidden = this.next === null;
    at("total").textContent = any ? count(this.listing.total, this.total) : "";
    if (!any && this.next !== null) void this.read();
    else if (any || this.gone.any) at("blank").replaceChildren();
    else show(at("blank"), "#empty");
    document.getElementById("tools")?.classList.toggle("unready", !any && !this.gone.any);
  }
}
