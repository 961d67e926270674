/** Taking the page of another channel in place of the one that is shown. */

import { $, $$ } from "../dom";
import { language } from "../texts";
import type { ChannelFull } from "../types";

/** Returns the record that a page was sent with. */
export function recordOf(page: Document): ChannelFull {
  return JSON.parse($("#data", page)?.textContent ?? "null") as ChannelFull;
}

/** Fetches the page of a channel of this site, in the language of the one that is shown. Rejects when there is none such at the path. */
export async function fetchPage(path: string, signal: AbortSignal): Promise<{ page: Document; path: string }> {
  const response = await fetch(path, { headers: { Accept: "text/html" }, signal });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const at = new URL(response.url);
  if (!response.ok || at.origin !== location.origin || page.documentElement.lang !== language || !$("#details", page) || !$("#data", page)) {
    throw new Error(`no channel at ${path}`);
  }
  return { page, path: at.pathname };
}

/** What tells other machines of the page, and where it is in other languages. */
const about = "link[rel=canonical], link[rel=alternate], meta[name=description], meta[name=robots], meta[property], script[type='application/ld+json']";

/** Shows a page where another was: all but the stage, which goes on as it is. */
export function show(page: Document): void {
  document.title = page.title;
  for (const old of $$(about, document.head)) old.remove();
  document.head.append(...$$(about, page.head).map((element) => document.adoptNode(element)));
  for (const part of ["#details", "#data", ".languages"]) {
    const next = $(part, page);
    if (next) $(part)?.replaceWith(document.adoptNode(next));
  }
}
