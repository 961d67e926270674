/**
 * The library of this browser, and every change of it. Changes are sent one
 * after the other, since each says where things are after those before it; what
 * they are expected to do is shown at once, and what they did when the last has
 * answered.
 */

import { acting, call, Failure, isOwner } from "../api";
import { noteKept } from "../kept";
import { t } from "../texts";
import type { Gone } from "../types";

export interface Feeds {
  m3u: string;
  m3u8: string;
  json: string;
  xspf: string;
}

export interface Item {
  id: string;
  channel_id: string;
  stream_id: string | null;
  name: string;
  country: string | null;
  logo_url: string | null;
  playable_hint: boolean;
  kind: "tv" | "radio";
  last_played_at: string | null;
  stale: boolean;
  /** What became of the channel of a stale item. */
  gone?: Gone;
}

export interface Group {
  id: string;
  name: string;
  slug: string;
  last_item_id: string | null;
  feeds: Feeds;
  items: Item[];
}

/** Returns the name of a sub-tab for people. That with which every folder begins has one name on the wire, and one in each language of the pages until somebody renames it. */
export function groupName({ name, slug }: Group): string {
  return slug === "geral" ? t("keep.ui.general") : name;
}

export interface Folder {
  id: string;
  name: string;
  slug: string;
  last_group_id: string | null;
  feeds: Feeds;
  groups: Group[];
}

export interface Library {
  feeds: Feeds | null;
  categories: Folder[];
}

/** The greatest sizes, as the service has them. */
export const most = { folders: 8, groups: 12, items: 40, name: 40 };

const nothing: Library = { feeds: null, categories: [] };

export class Shelf {
  /** What is shown. */
  library: Library = nothing;
  private kept: Library = nothing; // what the service said last
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** `changed` is called after each change of what is shown. */
  constructor(private readonly changed: () => void) {}

  /** Reads the library. A browser that never kept anything is not made a guest for it. */
  async open(): Promise<void> {
    this.take(isOwner() ? await call<Library>("GET", "/api/library") : nothing);
    note(this.library);
    this.changed();
  }

  private take(answer: Library): void {
    this.kept = answer;
    this.library = answer;
  }

  /** Sends a change, whose answer is a library, and shows it: at once as `expected` makes it. It rejects when the service refuses. */
  change<T extends Library>(method: string, path: string, body?: unknown, expected?: (library: Library) => void): Promise<T> {
    if (expected) {
      this.library = structuredClone(this.library);
      expected(this.library);
      this.changed();
    }
    this.waiting++;
    const turn = this.last.then(() => call<T>(method, path, body));
    this.last = turn.catch(() => {});
    return turn.then((answer) => {
      this.settle(answer);
      return answer;
    }, async (error: unknown) => {
      const gone = error instanceof Failure && error.status === 404;
      this.settle(gone ? await call<Library>("GET", "/api/library").catch(() => this.kept) : this.kept);
      throw error;
    });
  }

  private settle(answer: Library): void {
    this.kept = answer;
    if (--this.waiting > 0) return;
    this.library = answer;
    note(answer);
    this.changed();
  }

  folder(id: string | undefined): Folder | undefined {
    return this.library.categories.find((folder) => folder.id === id);
  }

  /** Returns a sub-tab and the folder that it is in. */
  group(id: string | undefined): { folder: Folder; group: Group } | undefined {
    for (const folder of this.library.categories) {
      const group = folder.groups.find((group) => group.id === id);
      if (group) return { folder, group };
    }
    return undefined;
  }

  /** Returns an item and the sub-tab that it is in. */
  item(id: string | undefined): { group: Group; item: Item } | undefined {
    for (const folder of this.library.categories) {
      for (const group of folder.groups) {
        const item = group.items.find((item) => item.id === id);
        if (item) return { group, item };
      }
    }
    return undefined;
  }
}

/** Notes which channels the visitor's own library holds; an organization's library is not noted. */
function note({ categories }: Library): void {
  if (!acting()) noteKept(categories.flatMap(({ groups }) => groups.flatMap(({ items }) => items.map((item) => item.channel_id))));
}

/** Moves one of a list to another place, which may be past the end. */
export function move<T>(list: T[], from: number, to: number): void {
  list.splice(to, 0, ...list.splice(from, 1));
}

/** Returns how many channels a folder holds. */
export function size(folder: Folder): number {
  return folder.groups.reduce((n, group) => n + group.items.length, 0);
}
