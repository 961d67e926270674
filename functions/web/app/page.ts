/**
 * The page that is shown: what it runs, and until when. While a channel plays, following a link puts another page in
 * the place of this one without leaving the document (see channel/visit.ts), so what a page runs must end with it.
 */

let left = new AbortController();

/** Returns a signal that is aborted when another page takes the place of the one that is shown. */
export function leaving(): AbortSignal {
  return left.signal;
}

/** Tells that the page is left for another one. */
export function leave(): void {
  left.abort();
  left = new AbortController();
}

/** Returns the name of the page that is shown, such as "home". */
export function name(): string {
  return document.body.dataset["page"] ?? "";
}
