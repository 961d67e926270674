/** The rows that favorites, history and library are made of. */

import { $, h, icon, iconButton } from "../dom";
import { flag } from "../flag";
import { menu, type Act } from "./ask";
import { plate } from "../plate";
import { country, t } from "../texts";
import type { Gone } from "../types";
import { remember } from "../zap";
import { fate } from "./fate";

/** A channel as a row shows it. */
export interface Shown {
  channel_id: string;
  name: string;
  country: string | null;
  logo_url: string | null;
  playable_hint: boolean;
  kind?: "tv" | "radio";
  /** What became of a channel that left the catalog, and cannot be opened. */
  gone?: Gone | undefined;
  /** The card of the channel as the server shows it, where it came. */
  card?: HTMLElement | undefined;
}

/** Returns a row with its card, by whose name it is called: registers write codecs and call signs into the names of stations. */
export function carded<T extends Shown>(row: T, card: HTMLElement | undefined): T {
  return card ? { ...row, card, name: $(".card-link", card)?.textContent?.trim() || row.name } : row;
}

/** Returns the path of the page of a channel. */
export function channelPath(id: string): string {
  const data = JSON.parse(document.getElementById("data")?.textContent || "{}") as { channel?: string };
  return (data.channel ?? "/canal/") + encodeURIComponent(id);
}

/** Returns the path of the page of a public library, in the language of this page. */
export function publicPath(name: string): string {
  const data = JSON.parse(document.getElementById("data")?.textContent || "{}") as { public?: string };
  return (data.public ?? "/l/") + encodeURIComponent(name);
}

/** Makes the plate of a row: that of its card when it has letters, which the server alone can fit into it. */
function rowPlate(row: Shown): HTMLElement {
  const lettered = row.card && $(".plate.bare", row.card)?.cloneNode(true);
  if (!(lettered instanceof HTMLElement)) return plate({ id: row.channel_id, name: row.name, logo: row.logo_url, kind: row.kind }, "row-plate", { width: 96, height: 54 });
  lettered.classList.add("row-plate");
  return lettered;
}

/** Returns a copy of a part of the card of a row; null when it has none. */
function partOf({ card }: Shown, selector: string): Node | null {
  return (card && $(selector, card)?.cloneNode(true)) ?? null;
}

/** Makes what a row says of its channel: a link to it, with quiet words below its name; those that find no room are left out. That it works is not said: nobody measured it here. */
export function link(row: Shown, ...more: (string | null)[]): HTMLElement {
  const inner = [rowPlate(row), h("span", { class: "row-text" },
    h("span", { class: "row-name", dir: "auto" }, row.name),
    h("span", { class: "row-more" }, where(row.country), state(row), next(row), partOf(row, ".card-now"), ...more.map((text) => text && h("span", {}, text))), partOf(row, ".card-progress"))];
  if (row.gone) return h("span", { class: "row-link" }, ...inner);
  return h("a", { class: "row-link", href: channelPath(row.channel_id), "data-channel": row.channel_id }, ...inner);
}

export function where(code: string | null): HTMLElement | null {
  if (!code) return null;
  const name = country(code);
  return h("span", { class: "row-country" },
    flag(code), h("span", { class: "row-where" }, name));
}

export function state(row: Shown): HTMLElement | null {
  if (row.gone) return h("span", { class: "badge bad" }, fate(row.gone));
  return row.playable_hint ? null : h("span", { class: "badge fair" }, t("keep.ui.unplayable"));
}

/** Makes a link to the channel that replaced one that is gone. */
function next({ gone }: Shown): HTMLElement | null {
  return gone?.replaced_by ? h("a", { href: channelPath(gone.replaced_by) }, t("keep.ui.gone_next")) : null;
}

/** Makes the button that makes a channel a favorite, or one no more. */
function favoriteButton(row: Shown, on: boolean): HTMLElement {
  return iconButton("heart", t("keep.ui.favorite", { name: row.name }), () => {}, { "data-favorite": row.channel_id, "aria-pressed": String(on) });
}

/** Makes the button that keeps a channel in the library. */
function keepButton(row: Shown): HTMLElement {
  return iconButton("folder-add", t("keep.ui.keep", { name: row.name }), () => {}, { "data-keep": row.channel_id, "aria-haspopup": "dialog" });
}

/** Makes what one can do with a row: buttons where there is room, and on a phone one button with a menu of the same. */
export function acts(row: Shown, favorite: boolean, more: Act[] = []): HTMLElement[] {
  const heart = favoriteButton(row, favorite);
  const save = keepButton(row);
  const open = (): void => menu(row.name, [
    { icon: "heart", label: t(heart.getAttribute("aria-pressed") === "true" ? "keep.ui.favorite_drop" : "keep.ui.favorite_add"), run: () => heart.click() },
    { icon: "folder-add", label: t("keep.ui.title"), run: () => save.click() },
    ...more,
  ]);
  return [
    h("span", { class: "row-acts roomy" }, heart, save, ...more.map((act) => iconButton(act.icon, `${act.label}: ${row.name}`, act.run))),
    h("span", { class: "row-acts tight" }, iconButton("more", t("keep.ui.more", { name: row.name }), open, { "aria-haspopup": "dialog" })),
  ];
}

/** Remembers rows as the line to zap through, and lets the page that is opened next play at once. */
export function lineUp(title: string, rows: Shown[]): void {
  remember({
    title,
    from: location.pathname + location.hash,
    stops: rows.filter((row) => !row.gone).map((row) => {
      const letters = row.card && $(".letters-of", row.card);
      return { id: row.channel_id, name: row.name, path: channelPath(row.channel_id), logo: row.logo_url, letters: letters?.textContent ?? undefined, size: letters?.dataset["size"] };
    }),
  });
  try {
    sessionStorage.setItem("mm-play", "1");
  } catch {
    // The channel's page waits for a press.
  }
}

/** Shows a copy of what a template of the page holds. */
export function show(box: HTMLElement, template: string): void {
  const content = document.querySelector<HTMLTemplateElement>(template)?.content.cloneNode(true);
  box.replaceChildren(...(content ? [content] : []));
}

/** Says that something could not be read, and what to do. */
export function broken(text: string, again: () => void): HTMLElement {
  return h("div", { class: "empty", role: "alert" }, icon("alert"), h("p", {}, text),
    h("button", { class: "button", type: "button", click: again }, icon("refresh"), t("keep.ui.again")));
}
