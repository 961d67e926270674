/** What the page of the library works on: the library, and what of it is chosen. */

import { toast } from "../dom";
import { tellOf } from "./ask";
import { Shelf, type Folder, type Group } from "./shelf";

export class Desk {
  readonly shelf: Shelf;
  private chosen: { folder: string | undefined; group: string | undefined } = { folder: undefined, group: undefined };

  constructor(private readonly draw: () => void) {
    this.shelf = new Shelf(() => { this.settle(); draw(); });
  }

  get folder(): Folder | undefined {
    return this.shelf.folder(this.chosen.folder);
  }

  get group(): Group | undefined {
    return this.shelf.group(this.chosen.group)?.group;
  }

  /** Shows a folder, and in it a sub-tab: without one, that in which something was played last. */
  go(folder: string | undefined, group?: string): void {
    this.chosen = { folder, group };
    this.settle();
    this.draw();
  }

  /** Chooses what the address names, by the slugs after its "#". */
  goTo(hash: string): void {
    const [folderSlug, groupSlug] = hash.slice(1).split("/").map(decoded);
    const folder = this.shelf.library.categories.find((folder) => folder.slug === folderSlug);
    this.chosen = { folder: folder?.id, group: folder?.groups.find((group) => group.slug === groupSlug)?.id };
    this.settle();
  }

  /** Makes the choice one that there is. */
  private settle(): void {
    const folder = this.folder ?? this.shelf.library.categories[0];
    const group = folder?.groups.find((group) => group.id === this.chosen.group) ?? folder?.groups.find((group) => group.id === folder.last_group_id) ?? folder?.groups[0];
    this.chosen = { folder: folder?.id, group: group?.id };
  }

  /** The part of the address that names what is chosen. */
  get hash(): string {
    const { folder, group } = this;
    if (!folder) return "";
    return `#${encodeURIComponent(folder.slug)}${group ? `/${encodeURIComponent(group.slug)}` : ""}`;
  }

  /** Waits for a change, and tells when it failed. */
  try(change: Promise<unknown>, done?: () => void): void {
    change.then(done, tellOf);
  }

  /** Tells that something is gone, with a way back. */
  offer(text: string, label: string, back: () => Promise<unknown>): void {
    toast(text, { label, run: () => this.try(back()) });
  }

  /** Tells those who do not see it where something is now. */
  say(text: string): void {
    const said = document.getElementById("said");
    if (said) said.textContent = text;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
