/**
 * The list that one came from: what the arrow keys, the channel keys and digits
 * zap through. A list remembers itself when one of its channels is opened; the
 * page of the channel asks what comes before and after.
 */

import { $, $$ } from "./dom";
import { name as page } from "./page";

/** A channel of a list, as much as is needed to go there and to name it. */
export interface Stop {
  id: string;
  name: string;
  path: string;
  logo: string | null;
  /** What stands on the plate in place of a logo, and how large; the list may not know it. */
  letters?: string | undefined;
  size?: string | undefined;
}

export interface Line {
  /** What the list is, for people. */
  title: string;
  /** The address of the list, to go back to; empty when it has no page. */
  from: string;
  /** The channels, numbered from 1. */
  stops: Stop[];
  /** Where one was last, counted from 0. */
  at?: number;
  /** The address of the part of the list that comes after the stops; null when nothing does. */
  next?: string | null;
}

const key = "mm-line";
const seenKey = "mm-seen";
const most = 500;

/** The player that other sites show leads to no other channel, and keeps none. */
const alone = page() === "embed";

/** Keeps a line for the page that is opened next. */
export function remember(line: Line): void {
  keep(key, { ...line, stops: line.stops.slice(0, most) });
}

/** Returns the line that one came from, or null. */
export function recall(): Line | null {
  const line = kept<Line>(key);
  if (!line || !Array.isArray(line.stops) || !line.stops.every(whole)) return null;
  return typeof line.title === "string" ? line : { ...line, title: "" };
}

function whole(stop: Stop | null): boolean {
  return typeof stop?.id === "string" && typeof stop.name === "string" && typeof stop.path === "string" && stop.path.startsWith("/") && within(stop.path) !== null;
}

/** Returns what an address of this site leads to; null for any other, such as "//elsewhere". */
function within(address: string): URL | null {
  const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
  return url?.origin === location.origin ? url : null;
}

/**
 * Returns the index of the stop that is so many steps on from a channel; the
 * ends of the line meet. A channel that the line lacks stands between where one
 * left the line and what comes after. -1 when there is nowhere else to go.
 */
export function along(line: Line, id: string, by: 1 | -1): number {
  const n = line.stops.length;
  const at = line.stops.findIndex((stop) => stop.id === id);
  if (n === 0 || (n === 1 && at === 0)) return -1;
  const from = at >= 0 ? at : (line.at ?? -1) + (by < 0 ? 1 : 0);
  return (from + by + n) % n;
}

/** Adds to a line what its list shows after it. Reports whether there was more. */
export async function extend(line: Line): Promise<boolean> {
  if (!line.next || line.stops.length >= most) return false;
  const url = within(line.next);
  if (!url) return false;
  const response = await fetch(url, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response?.ok) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const known = new Set(line.stops.map((stop) => stop.id));
  const more = stopsOf(page).filter((stop) => !known.has(stop.id));
  line.stops.push(...more);
  line.next = $("#more", page)?.getAttribute("href") ?? null;
  remember(line);
  return more.length > 0;
}

/** Returns the stops that the cards of the list of a page are. */
function stopsOf(page: ParentNode): Stop[] {
  return $$("#cards > .card[data-id]", page).map(stopOf).filter(whole);
}

/** Returns the stop that a card, or another element with a plate and a link to a channel, stands for. */
export function stopOf(element: HTMLElement): Stop {
  const link = $<HTMLAnchorElement>("a[data-channel]", element);
  const letters = $(".letters-of", element);
  return {
    id: element.dataset["id"] ?? "", path: link?.getAttribute("href") ?? "", name: $(".card-link, .next-name", element)?.textContent?.trim() ?? "",
    logo: $(".plate img", element)?.getAttribute("src") ?? null, letters: letters?.textContent ?? undefined, size: letters?.dataset["size"],
  };
}

/** Returns a channel and those that its page lists beside the player, as a line; null when it lists none. */
export function listed(here: Stop): Line | null {
  const stops = $$("#next .next").map(stopOf).filter((stop) => whole(stop) && stop.id !== here.id);
  return stops.length > 0 ? { title: $("#next-title")?.dataset["name"] ?? "", from: "", next: null, stops: [here, ...stops] } : null;
}

let folder = ""; // of the pages of channels

/** Tells the path of the page of a channel that plays on another page. */
export function standBeside(path: string): void {
  folder ||= path.replace(/[^/]*$/, "");
}

/** Returns the path of a channel's page. It is first called on such a page, or after standBeside. */
export function beside(id: string): string {
  folder ||= location.pathname.replace(/[^/]*$/, "");
  return folder + encodeURIComponent(id);
}

/** Tells that a channel is shown, and returns the one that was shown before it, or null. */
export function arrived(at: Stop): Stop | null {
  const seen = kept<unknown>(seenKey);
  const [current = null, last = null] = Array.isArray(seen) ? (seen as (Stop | null)[]).map((stop) => whole(stop) ? stop : null) : [];
  const before = current && current.id !== at.id ? current : last;
  keep(seenKey, [at, before]);
  return before;
}

function keep(name: string, value: unknown): void {
  if (alone) return;
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage there is no line to zap through.
  }
}

function kept<T>(name: string): T | null {
  if (alone) return null;
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null;
  }
}
