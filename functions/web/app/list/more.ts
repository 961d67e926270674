/**
 * The list that goes on: when its end is near, the page that its link leads to
 * is read and its cards are added. The address follows the page that one looks
 * at, so that it leads back there.
 */

import { $, $$, h, toast } from "../dom";
import { t } from "../texts";
import { fetchPage } from "./page";
import { moved } from "./search";

const near = "800px"; // below the window
const above = "1000000px"; // all that was passed counts as seen, also by one who jumps over it
const full = 30; // channels of a page that is not the last
const alone = 4; // pages that come without being asked for: then the end of the page can be reached

let ends: IntersectionObserver | null = null;
let marks: IntersectionObserver | null = null;
let left = alone;

/** Makes the list that is shown go on. Called again, it is another one. */
export function more(): void {
  ends?.disconnect();
  marks?.disconnect();
  left = alone;
  const first = $("#cards > .card");
  if (!first || !$("#more")) return;
  first.parentElement?.classList.add("goes-on");
  ends = new IntersectionObserver((entries) => {
    if (left > 0 && entries.some((entry) => entry.isIntersecting)) {
      left--;
      void load();
    }
  }, { rootMargin: `0px 0px ${near} 0px` });
  marks = new IntersectionObserver(([entry]) => pass(entry!.rootBounds?.bottom ?? innerHeight * .4), { rootMargin: `${above} 0px -60% 0px` });
  mark(first, location.pathname + location.search);
  watch();
}

function watch(): void {
  const link = $<HTMLAnchorElement>("#more");
  if (!link) return;
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    left = alone;
    void load(true);
  });
  ends?.observe(link);
}

/** Notes that with a card another page begins. */
function mark(card: Element, address: string): void {
  card.setAttribute("data-from", address);
  marks?.observe(card);
}

/** Sets the address to that of the last page that begins above a line of the window. */
function pass(line: number): void {
  const all = $$("#cards > [data-from]");
  const at = all.findLast((card) => card.getBoundingClientRect().top < line) ?? all[0];
  if (!at || at.closest("[aria-busy]")) return; // another list is on its way, and may have the address already
  const address = at.dataset["from"];
  if (!address || address === location.pathname + location.search) return;
  history.replaceState(history.state, "", address + location.hash);
  moved(address);
}

let loading: HTMLAnchorElement | null = null;

/** Changes the list. The end of the page, for one who jumped to it, stays where it is. */
function hold(change: () => void): void {
  const end = $(".bottom");
  const top = end?.getBoundingClientRect().top ?? Infinity;
  change();
  if (end && scrollY > 0 && top < innerHeight) scrollBy({ top: end.getBoundingClientRect().top - top, behavior: "instant" });
}

/** Adds the next page. When it was asked for, the focus goes on to its first card. */
async function load(asked = false): Promise<void> {
  const link = $<HTMLAnchorElement>("#more");
  const box = $("#cards");
  if (!link || !box || loading === link) return;
  loading = link;
  // Its room is there at once, while what follows the list is out of sight: else it would move when the page arrives.
  const waiting = Array.from({ length: full }, () => h("li", { class: "card skeleton", "aria-hidden": "true" }));
  hold(() => box.append(...waiting));
  try {
    const page = await fetchPage(link.href, new AbortController().signal);
    if (!link.isConnected) return;
    const known = new Set($$(":scope > .card", box).map((card) => card.dataset["id"]));
    const fresh = $$("#cards > .card", page).filter((card) => !known.has(card.dataset["id"]));
    const focused = document.activeElement === link;
    hold(() => {
      waiting.forEach((card) => card.remove());
      box.append(...fresh);
    });
    if (fresh[0]) mark(fresh[0], link.pathname + link.search);
    if ((asked || focused) && fresh[0]) $("a", fresh[0])?.focus();
    ends?.unobserve(link);
    const next = page.getElementById("more");
    if (next) link.replaceWith(next);
    else link.parentElement?.remove();
    watch();
  } catch {
    ends?.unobserve(link); // from here on by hand
    toast(t("list.ui.failed"));
  } finally {
    if (waiting[0]?.isConnected) hold(() => waiting.forEach((card) => card.remove()));
    loading = null;
  }
}
