/** The addresses by which other programs read the library. */

import { $$, toast } from "../dom";
import { t } from "../texts";
import { confirm } from "./ask";
import type { Desk } from "./desk";
import { qr } from "./qr";
import { groupName, type Feeds } from "./shelf";

const at = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E;

export class Feed {
  private address = "";

  constructor(private readonly desk: Desk) {
    for (const input of $$<HTMLInputElement>("[name=level], [name=format]")) input.addEventListener("change", () => this.draw());
    for (const id of ["feed-address", "guide-address", ...loginFields]) at<HTMLInputElement>(id).addEventListener("focus", (event) => (event.target as HTMLInputElement).select());
    for (const id of loginFields) at(`${id}-copy`).addEventListener("click", () => void copy(at(id), t("library.ui.copied_text")));
    at("feed-copy").addEventListener("click", () => void copy(at("feed-address")));
    at("guide-copy").addEventListener("click", () => void copy(at("guide-address")));
    at("feed-qr").addEventListener("click", () => this.toggle());
    at("rotate").addEventListener("click", () => this.rotate());
  }

  /** Shows the addresses of what is chosen. */
  draw(): void {
    const { desk } = this;
    const { folder, group } = desk;
    const level = chosen("level");
    const of = level === "group" && group ? group : level === "folder" && folder ? folder : null;
    const feeds = of?.feeds ?? desk.shelf.library.feeds;
    if (!feeds) return;
    this.address = feeds[chosen("format") as keyof Feeds];
    at<HTMLInputElement>("feed-address").value = this.address;
    at<HTMLInputElement>("guide-address").value = guide(feeds.m3u);
    for (const [n, value] of login(feeds.m3u, of?.id).entries()) at<HTMLInputElement>(loginFields[n]!).value = value;
    at("feed-level").textContent = of ? t("library.ui.feed_changes", { name: group && of === group ? groupName(group) : of.name }) : t("library.ui.feed_stays");
    if (!at("qr").hidden) void this.drawCode();
  }

  private toggle(): void {
    const box = at("qr");
    box.hidden = !box.hidden;
    at("feed-qr").setAttribute("aria-expanded", String(!box.hidden));
    if (!box.hidden) void this.drawCode();
  }

  private async drawCode(): Promise<void> {
    const { address } = this;
    try {
      const code = await qr(address, t("library.ui.qr_label"));
      if (address === this.address) at("qr").replaceChildren(code);
    } catch {
      toast(t("layout.ui.failed"));
    }
  }

  private rotate(): void {
    confirm(t("library.ui.rotate"), t("library.ui.rotate_sure"), t("library.ui.rotate"), () => {
      this.desk.try(this.desk.shelf.change("POST", "/api/library/feed-token"), () => toast(t("library.ui.rotated")));
    });
  }
}

function chosen(name: string): string {
  return document.querySelector<HTMLInputElement>(`[name=${name}]:checked`)?.value ?? "";
}

/** Returns the address of the guide of a list, which stands beside the whole library's and below any other's. */
function guide(list: string): string {
  return list.replace(/(\/library)?\.m3u$/, "/guia.xml");
}

const loginFields = ["login-server", "login-user", "login-password"];

/**
 * Returns the server, the user name and the password with which players of Xtream Codes open a list, or the folder or sub-tab with an id. They are parts of
 * the list's address and of the id, as LoginOf of shared/library divides them.
 */
function login(list: string, id?: string): [string, string, string] {
  const [server = "", rest = ""] = list.split("/f/");
  const token = rest.split("/", 1)[0]!;
  const part = id ? `-${id.replace(/^[a-z]+_/, "").slice(0, 8)}` : "";
  return [server, token.slice(0, 8) + part, token.slice(8)];
}

async function copy(field: HTMLInputElement, done = t("library.ui.copied")): Promise<void> {
  try {
    await navigator.clipboard.writeText(field.value);
    toast(done);
  } catch {
    field.focus();
    field.select();
    toast(t("library.ui.copy_yourself"));
  }
}
