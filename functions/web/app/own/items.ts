/** The channels of a sub-tab, and what one can do with each. */

import { read, tell } from "../api";
import { cardsOf } from "../cards";
import { $, dialog, h, icon, iconButton } from "../dom";
import { since, t } from "../texts";
import type { ChannelFull, Stream } from "../types";
import { menu, words } from "./ask";
import type { Desk } from "./desk";
import { dragging, orderable } from "./order";
import { places } from "./places";
import { carded, lineUp, link, type Shown } from "./rows";
import { groupName, most, move, type Folder, type Item, type Library } from "./shelf";

export class Items {
  private rows = new Map<string, HTMLElement>(); // by what they show
  private readonly cards = new Map<string, HTMLElement>(); // by channel
  private readonly asked = new Set<string>(); // channels

  constructor(private readonly list: HTMLElement, private readonly desk: Desk) {
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => this.open(event));
    void orderable(list, {
      handle: ".grip",
      onto: "[role=tab]",
      moved: (from, to) => { const item = desk.group?.items[from]; if (item) this.place(this.named(item), to); },
      dropped: (row, on) => this.drop(row.dataset["id"], on.dataset["tab"]),
      ended: () => this.draw(),
    });
  }

  /** Shows the items of the chosen sub-tab. Rows that show the same stay, and with them the focus. */
  draw(): void {
    void this.fetch().then((came) => { if (came && !dragging()) this.draw(); });
    const items = (this.desk.group?.items ?? []).map((item) => this.named(item));
    const rows = new Map<string, HTMLElement>();
    items.forEach((item, at) => {
      const key = JSON.stringify([{ ...item, card: !!item.card }, at === 0, at === items.length - 1]);
      rows.set(key, this.rows.get(key) ?? this.row(item, at === 0, at === items.length - 1));
    });
    const active = document.activeElement;
    const focused = this.list.contains(active) && active instanceof HTMLElement ? active : null;
    const id = focused?.closest<HTMLElement>("[data-id]")?.dataset["id"];
    this.rows = rows;
    this.list.replaceChildren(...rows.values());
    if (focused && document.activeElement !== focused) this.refocus(focused, id);
  }

  /** Asks for the cards of the chosen sub-tab that are missing. Reports whether any came. */
  async fetch(): Promise<boolean> {
    const ids = (this.desk.group?.items ?? []).filter((item) => !item.stale && !this.asked.has(item.channel_id)).map((item) => item.channel_id);
    for (const id of ids) this.asked.add(id);
    const came = await cardsOf(ids);
    for (const [id, card] of came) this.cards.set(id, card);
    if (came.size === 0) for (const id of ids) this.asked.delete(id); // asked again when the next thing changes
    return came.size > 0;
  }

  /** Returns an item as it is shown, with its card where that came. */
  named(item: Item): Item & Shown {
    return carded<Item & Shown>(item, this.cards.get(item.channel_id));
  }

  /** Gives the focus back to what had it, or to what stands for it now. */
  private refocus(focused: HTMLElement, id: string | undefined): void {
    const row = $(`[data-id="${id}"]`, this.list);
    const act = focused.dataset["act"];
    const same = focused.isConnected ? focused : row && $(act ? `[data-act="${act}"]:not(:disabled)` : "a[data-channel]", row);
    (same ?? $(".grip", row ?? this.list) ?? document.getElementById("group"))?.focus({ preventScroll: false });
  }

  private row(item: Item & Shown, first: boolean, last: boolean): HTMLElement {
    const { name } = item;
    const act = (what: string, image: string, run: () => void, off = false): HTMLElement =>
      iconButton(image, t(`library.ui.${what}_item`, { name }), run, { "data-act": what, disabled: off });
    return h("li", { class: "row-item", "data-id": item.id },
      iconButton("grip", t("library.ui.grip", { name }), () => {}, { class: "icon-button grip", "data-act": "grip", "aria-describedby": "order-help" }),
      link(item, item.stream_id && t("library.ui.pinned"), item.last_played_at && since(item.last_played_at)),
      h("span", { class: "row-acts wide" },
        act("up", "chevron-up", () => this.shift(item, -1), first),
        act("down", "chevron-down", () => this.shift(item, 1), last),
        act("stream", "quality", () => void this.streams(item), item.stale),
        act("move", "move", () => this.elsewhere(item)),
        act("remove", "trash", () => this.remove(item))),
      h("span", { class: "row-acts narrow" }, act("more", "more", () => this.menu(item, first, last))));
  }

  private menu(item: Item, first: boolean, last: boolean): void {
    menu(item.name, [
      { icon: "chevron-up", label: t("library.ui.up"), off: first, run: () => this.shift(item, -1) },
      { icon: "chevron-down", label: t("library.ui.down"), off: last, run: () => this.shift(item, 1) },
      { icon: "quality", label: t("library.ui.stream"), off: item.stale, run: () => void this.streams(item) },
      { icon: "move", label: t("library.ui.move"), run: () => this.elsewhere(item) },
      { icon: "trash", label: t("library.ui.remove"), danger: true, run: () => this.remove(item) },
    ]);
  }

  /** Alt and an arrow move the row of the focus; on its handle the arrow alone does. */
  private key(event: KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (!by || !(event.altKey || target?.matches(".grip")) || event.ctrlKey || event.metaKey) return;
    const found = this.desk.shelf.item(target?.closest<HTMLElement>("[data-id]")?.dataset["id"]);
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    this.shift(this.named(found.item), by);
  }

  private shift(item: Item, by: number): void {
    const now = this.desk.group?.items.findIndex(({ id }) => id === item.id) ?? -1;
    this.place(item, now + by);
  }

  /** Moves an item within its sub-tab. */
  private place(item: Item, to: number): void {
    const { desk } = this;
    const items = desk.group?.items ?? [];
    const from = items.findIndex(({ id }) => id === item.id);
    if (from < 0 || to < 0 || to >= items.length) return;
    const group = desk.group?.id;
    desk.say(t("library.ui.placed", { name: item.name, n: to + 1, of: items.length }));
    desk.try(desk.shelf.change("PATCH", `/api/items/${item.id}`, { position: to }, (library) => {
      for (const folder of library.categories) for (const each of folder.groups) if (each.id === group) move(each.items, from, to);
    }));
  }

  /** A row was dropped on a tab, of a sub-tab or of a folder: that takes it where there is room first. */
  private drop(id: string | undefined, tab: string | undefined): void {
    const { shelf } = this.desk;
    const item = shelf.item(id)?.item;
    const folder = shelf.folder(tab);
    const group = shelf.group(tab)?.group ?? folder?.groups.find((group) => group.items.length < most.items) ?? folder?.groups[0];
    if (item && group && group.id !== this.desk.group?.id) this.send(this.named(item), group.id);
  }

  private send(item: Item, group: string): void {
    const { desk } = this;
    const from = desk.shelf.item(item.id);
    desk.try(desk.shelf.change("PATCH", `/api/items/${item.id}`, { group_id: group }), () => {
      const to = desk.shelf.group(group);
      if (!from || !to) return;
      const at = from.group.items.findIndex(({ id }) => id === item.id);
      desk.offer(t("library.ui.moved", { name: item.name, folder: to.folder.name, group: groupName(to.group) }), t("keep.ui.undo"),
        () => desk.shelf.change("PATCH", `/api/items/${item.id}`, { group_id: from.group.id, position: at }));
    });
  }

  private elsewhere(item: Item): void {
    const { desk } = this;
    const here = desk.shelf.item(item.id)?.group.id;
    const box = dialog(t("library.ui.move"), h("p", { class: "keep-name", dir: "auto" }, item.name),
      h("div", { class: "places" }, ...places(desk.shelf.library, {
        holds: (group) => group.id === here,
        open: (group) => group.id !== here && group.items.length < most.items,
        pick: (_, group) => { box.close(); this.send(item, group.id); },
      })));
    $(".chip:not(:disabled)", box)?.focus();
  }

  private remove(item: Item): void {
    const { desk } = this;
    const from = desk.shelf.item(item.id);
    if (!from) return;
    const at = from.group.items.findIndex(({ id }) => id === item.id);
    const text = t("library.ui.removed", { name: item.name });
    desk.try(desk.shelf.change("DELETE", `/api/items/${item.id}`, undefined, (library) => {
      for (const folder of library.categories) for (const group of folder.groups) if (group.id === from.group.id) group.items.splice(at, 1);
    }), () => desk.offer(text, t("keep.ui.undo"), async () => {
      const again = await desk.shelf.change<Library & { id: string }>("POST", "/api/items", { group_id: from.group.id, channel_id: item.channel_id, stream_id: item.stream_id });
      await desk.shelf.change("PATCH", `/api/items/${again.id}`, { position: at });
    }));
  }

  /** Lets one choose which stream of a channel the library plays. */
  private async streams(item: Item): Promise<void> {
    const box = h("div", { class: "acts", "aria-busy": "true" }, h("div", { class: "skeleton place-waits" }));
    const around = dialog(t("library.ui.stream"), h("p", { class: "keep-name", dir: "auto" }, item.name), h("p", { class: "soft small" }, t("library.ui.stream_text")), box);
    const choice = (id: string, label: string, more: string): HTMLElement => h("button", {
      class: "act", type: "button", "aria-pressed": String(id === (item.stream_id ?? "")),
      click: () => { around.close(); this.desk.try(this.desk.shelf.change("PATCH", `/api/items/${item.id}`, { stream_id: id })); },
    }, icon(id === (item.stream_id ?? "") ? "check" : "play"), h("span", {}, h("span", { dir: "auto" }, label), h("span", { class: "soft small" }, more)));
    try {
      const { streams } = await read<ChannelFull>(`/api/channels/${encodeURIComponent(item.channel_id)}`);
      box.replaceChildren(choice("", t("library.ui.stream_best"), t("library.ui.stream_best_text")), ...streams.map((stream, at) => choice(stream.id, called(stream, at), about(stream))));
      $("[aria-pressed=true]", box)?.focus();
    } catch (error) {
      box.replaceChildren(h("p", { class: "wrong", role: "alert" }, words(error)));
    }
    box.removeAttribute("aria-busy");
  }

  /** A channel is opened: the arrows there go through its folder. */
  private open(event: MouseEvent): void {
    const to = event.target instanceof Element ? event.target.closest("a[data-channel]") : null;
    const { folder } = this.desk;
    if (!to || !folder) return;
    lineUp(folder.name, lineOf(folder).map((item) => this.named(item)));
    const id = to.closest<HTMLElement>("[data-id]")?.dataset["id"];
    if (id) tell(`/api/items/${id}/play`);
  }
}

/** Returns the channels of a folder, those of one sub-tab after those of the other. */
export function lineOf(folder: Folder): Item[] {
  return folder.groups.flatMap((group) => group.items);
}

function called(stream: Stream, at: number): string {
  return stream.title || stream.feed || stream.quality || t("library.ui.stream_n", { n: at + 1 });
}

function about(stream: Stream): string {
  return [stream.title && stream.feed, stream.quality ?? stream.health_ext?.resolution, stream.label, stream.kind.toUpperCase()].filter(Boolean).join(" · ");
}
