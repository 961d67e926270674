/** The public folders that this visitor follows, as shelves that cannot be changed. */

import { call, isOwner } from "../api";
import { $, h, iconButton } from "../dom";
import { count, t } from "../texts";
import { tellOf, words } from "./ask";
import { channelPath, publicPath } from "./rows";

interface Followed {
  id: string;
  library: string;
  title: string | null;
  folder: string | null;
  gone: boolean;
  folders: { name: string; slug: string; channels: number }[];
  page: string | null;
}

interface Channels {
  folders: { slug: string; groups: { name: string; slug: string; items: { channel_id: string; name: string; stale: boolean }[] }[] }[];
}

const path = "/api/following";

/** The part of the page with what is followed. */
export class Following {
  private readonly box = document.getElementById("following") as HTMLElement;
  private readonly list = document.getElementById("followed") as HTMLElement;
  private readonly more = document.getElementById("followed-more") as HTMLElement;

  constructor() {
    const button = $<HTMLButtonElement>("button", this.more);
    button?.addEventListener("click", () => {
      const shown = this.list.children.length;
      button.disabled = true;
      this.read(shown).then(() => {
        const first = this.list.children[shown];
        if (first) $("a, button", first)?.focus();
      }, tellOf).finally(() => { button.disabled = false; });
    });
  }

  /** Reads what is followed, and shows it. */
  async open(signal: AbortSignal): Promise<void> {
    if (!isOwner()) {
      this.box.hidden = true;
      return;
    }
    try {
      await this.read(0, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.box.hidden = false;
      this.more.hidden = true;
      this.list.replaceChildren(h("p", { class: "wrong" }, words(error)));
    }
  }

  /** Reads a page of what is followed, and shows it after those before it. */
  private async read(offset: number, signal?: AbortSignal): Promise<void> {
    const { items, next } = await call<{ items: Followed[]; next: string | null }>("GET", `${path}?offset=${offset}`);
    if (signal?.aborted) return;
    if (offset === 0) this.list.replaceChildren();
    this.list.append(...items.map((item) => this.one(item)));
    this.more.hidden = next === null;
    this.box.hidden = this.list.children.length === 0;
  }

  /** Makes what is shown of a library or folder that is followed. */
  private one(it: Followed): HTMLElement {
    const name = it.title ?? it.library;
    const end = iconButton("close", t("library.ui.unfollow", { name }), () => {
      call("DELETE", `${path}/${encodeURIComponent(it.id)}`).then(() => {
        part.remove();
        if (this.list.children.length > 0) return;
        this.box.hidden = this.more.hidden;
        if (!this.more.hidden) this.read(0).catch(tellOf);
      }, tellOf);
    });
    const part: HTMLElement = h("section", { class: "followed", "data-followed": it.id },
      h("div", { class: "followed-head" }, h("h3", { dir: "auto" }, name), it.page !== null && h("a", { href: publicPath(it.library) }, t("library.ui.following_page")), end),
      it.gone && h("p", { class: "soft" }, t("library.ui.following_gone")),
      ...it.folders.map((folder) => shelf(it.library, folder)));
    return part;
  }
}

/** Makes the shelf of a folder, whose channels are read when it is opened. */
function shelf(library: string, folder: Followed["folders"][number]): HTMLDetailsElement {
  const inside = h("div", { class: "followed-channels" });
  const open = async (): Promise<void> => {
    if (!box.open || inside.children.length > 0) return;
    inside.append(h("p", { class: "soft" }, "…"));
    try {
      const { folders } = await call<Channels>("GET", `/api/libraries/${encodeURIComponent(library)}`);
      const groups = folders.find(({ slug }) => slug === folder.slug)?.groups ?? [];
      inside.replaceChildren(...groups.flatMap((group) => [
        ...(groups.length > 1 ? [h("h4", { dir: "auto" }, group.slug === "geral" ? t("keep.ui.general") : group.name)] : []),
        h("ul", {}, ...group.items.map((item) => h("li", { dir: "auto" }, item.stale ? h("span", { class: "soft" }, item.name) : h("a", { href: channelPath(item.channel_id) }, item.name)))),
      ]));
    } catch (error) {
      inside.replaceChildren();
      box.open = false;
      tellOf(error);
    }
  };
  const box = h("details", { toggle: () => void open() }, h("summary", {}, h("bdi", {}, folder.name), " ", h("span", { class: "soft small" }, count("library.ui.channels", folder.channels))), inside);
  return box;
}
