/** Taking a page in place of the one that is shown, while the player goes on. */

import { $, $$ } from "../dom";
import { language, learn } from "../texts";
import type { ChannelFull } from "../types";

/** Returns the record that a page of a channel was sent with. */
export function recordOf(page: Document): ChannelFull {
  return JSON.parse($("#data", page)?.textContent ?? "null") as ChannelFull;
}

/** The pages that can take the place of another: those whose scripts end when they are left (see page.ts), and those without. */
const able = new Set(["home", "country", "countries", "schedule", "explore", "city", "channel", "library", "favorites", "history", "guide", "about", "partners", "producers", "numbers"]);

/** A page that was fetched, and the address at which it is. */
export interface Fetched {
  page: Document;
  address: string; // path, query and fragment
  ranked?: ChannelFull | undefined; // of a channel: its record with the streams in the order for this caller, once that is there
}

/** Fetches a page of this site. Rejects unless it can take the place of the one that is shown: it is in the same language and of the same version of the site. */
export async function fetchPage(address: string, signal: AbortSignal): Promise<Fetched> {
  const response = await fetch(address, { headers: { Accept: "text/html" }, signal });
  const at = new URL(response.url);
  if (!response.ok || at.origin !== location.origin || !response.headers.get("Content-Type")?.startsWith("text/html")) {
    void response.body?.cancel();
    throw new Error(`no page at ${address}`);
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const { lang, dataset } = page.documentElement;
  if (lang !== language || dataset["visitor"] || script(page) !== script(document) || !able.has(page.body.dataset["page"] ?? "") || !$("#main", page)) {
    throw new Error(`${address} stands alone`);
  }
  at.hash = new URL(address, location.href).hash;
  return { page, address: at.pathname + at.search + at.hash };
}

/** Fetches the page of a channel. Rejects when there is none such at the path. */
export async function fetchChannel(path: string, signal: AbortSignal): Promise<Fetched> {
  const next = await fetchPage(path, signal);
  if (next.page.body.dataset["page"] !== "channel") throw new Error(`no channel at ${path}`);
  return next;
}

function script(page: Document): string | null {
  return $("script[type=module]", page)?.getAttribute("src") ?? null;
}

/** What tells other machines of the page, and where it is in other languages. */
const about = "link[rel=canonical], link[rel=alternate], meta[name=description], meta[name=robots], meta[property], script[type='application/ld+json']";

/** Shows the page of a channel where that of another was: all but the stage, which goes on as it is. */
export function show(page: Document): void {
  head(page);
  const open = $$("#more details[id][open]").map(({ id }) => id);
  for (const part of ["#details", "#next", "#more"]) $(part)?.replaceWith(document.adoptNode($(part, page)!));
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}

/** Shows a page where another was. */
export function replace(page: Document): void {
  head(page);
  document.body.dataset["page"] = page.body.dataset["page"];
  $("#main")?.replaceWith(document.adoptNode($("#main", page)!));
  const current = $(".nav a[aria-current]", page)?.getAttribute("href");
  for (const link of $$(".nav a")) {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const field = $<HTMLInputElement>("#q");
  if (field && document.activeElement !== field) field.value = $<HTMLInputElement>("#q", page)?.value ?? "";
}

/** Takes from a page what is not seen of it, but for the links to other languages at its end. */
function head(page: Document): void {
  learn(page);
  document.title = page.title;
  for (const old of $$(about, document.head)) old.remove();
  document.head.append(...$$(about, page.head).map((element) => document.adoptNode(element)));
  $("#data")?.remove();
  const data = $("#data", page);
  if (data) document.head.append(document.adoptNode(data));
  for (const link of $$("a[hreflang]")) {
    const same = $(`a[hreflang="${link.getAttribute("hreflang")}"]`, page);
    if (same) link.setAttribute("href", same.getAttribute("href") ?? "");
  }
}
