/**
 * Searching as one types and chooses: the part of the page that tells of the
 * list is taken from the page of the new address, so that each state of it has
 * an address of its own and looks the same without scripts.
 */

import { $, $$, toast } from "../dom";
import { leaving } from "../page";
import { t } from "../texts";
import { fetchPage, soon } from "./page";

type Entry = "push" | "replace" | "none";

const pause = 120; // milliseconds after a key in which the next one is awaited

let asking: AbortController | null = null;
let typed = false; // the entry of history is one of typing, which goes on in it
let showing = Promise.resolve(); // ends when the words of the field are searched for
let arrived: () => void = () => {};

/** The address of the list that is shown, or on its way. */
let shown = here();

function here(): string {
  return location.pathname + location.search;
}

/** Tells that the list goes on, and where in it one looks: its address there is no other list. */
export function moved(address: string): void {
  shown = address;
}

/** Makes the search field, the filters and the links of a list change it in place; `changed` is called when they have. */
export function search(changed: () => void): void {
  arrived = changed;
  shown = here();
  typed = false;
  const signal = leaving();
  signal.addEventListener("abort", () => asking?.abort());
  const field = $<HTMLInputElement>("#q");
  let timer = 0;
  field?.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(field), pause);
  }, { signal });
  field?.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    open(field);
  }, { signal });
  field?.addEventListener("keydown", (event) => {
    const first = event.key === "ArrowDown" && !event.isComposing && field.value.trim() ? firstFound() : null;
    if (!first) return;
    event.preventDefault();
    first.focus();
  }, { signal });
  document.addEventListener("change", (event) => {
    const form = event.target instanceof Element ? event.target.closest<HTMLFormElement>(".list-form") : null;
    if (form) go(addressOf(form));
  }, { signal });
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement) || !event.target.matches(".list-form")) return;
    event.preventDefault();
    go(addressOf(event.target));
  }, { signal });
  document.addEventListener("click", follow, { signal });
  addEventListener("popstate", () => {
    if (here() !== shown && location.pathname === new URL(shown, location.href).pathname) void show(here(), "none", (history.state as { y?: number } | null)?.y ?? 0);
  }, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  if (field && document.activeElement === field) void look(field); // who was quicker than the script is not to type again
}

/**
 * Opens the first channel that is found by the words of the field, once they are searched for. On a touch screen, where
 * Enter is the key that puts the keyboard away, the channels that were found are shown.
 */
function open(field: HTMLInputElement): void {
  const words = field.value.trim();
  const found = look(field);
  if (matchMedia("(pointer: coarse)").matches) return field.blur();
  void found.then(() => {
    if (words && words === new URLSearchParams(location.search).get("q") && words === field.value.trim()) firstFound()?.click();
  });
}

function firstFound(): HTMLElement | null {
  return $("#cards .card-link");
}

/** Searches for what is in the field; what it returns ends when that is shown, or another search has begun. */
function look(field: HTMLInputElement): Promise<void> {
  const url = new URL(shown, location.href);
  const words = field.value.trim();
  if (words === (url.searchParams.get("q") ?? "")) return showing;
  if (words) url.searchParams.set("q", words);
  else url.searchParams.delete("q");
  url.searchParams.delete("offset");
  if (url.searchParams.get("sort") === "relevance") url.searchParams.delete("sort");
  const entry = typed ? "replace" : "push";
  typed = true;
  return (showing = show(url.pathname + url.search, entry, 0));
}

function addressOf(form: HTMLFormElement): string {
  const said = [...new FormData(form)].filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  const query = new URLSearchParams(said).toString();
  return new URL(form.action).pathname + (query && `?${query}`);
}

/** Follows a link of the list to the list elsewhere, without leaving the page. */
function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("#results a[href]:not([data-channel])") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || link.pathname !== location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search, link.closest(".list-choices, .list-bar") ? undefined : 0);
}

function go(address: string, y?: number): void {
  typed = false;
  void show(address, "push", y);
}

/** Shows the list of an address, at a place of the page when one is given. */
async function show(address: string, entry: Entry, y?: number): Promise<void> {
  asking?.abort();
  const asks = (asking = new AbortController());
  const box = $("#results");
  if (!box) return;
  shown = address;
  box.setAttribute("aria-busy", "true");
  const calm = soon(() => box.setAttribute("data-slow", ""));
  try {
    let at = address;
    const page = await fetchPage(address, asks.signal, (to) => { at = to; }); // from works_here to the country
    const next = page.getElementById("results");
    if (!next) throw new Error("no list");
    shown = at;
    enter(at, entry);
    swap(box, next, page.title, entry);
    if (y !== undefined) scrollTo(0, y);
    arrived();
  } catch {
    if (asks.signal.aborted) return;
    shown = here();
    toast(t("list.ui.failed"), { label: t("list.ui.retry"), run: () => void show(address, entry, y) });
  } finally {
    calm();
    if (asking === asks) {
      $("#results")?.removeAttribute("aria-busy");
      $("#results")?.removeAttribute("data-slow");
    }
  }
}

function enter(address: string, entry: Entry): void {
  if (entry === "push") {
    history.replaceState({ y: scrollY }, "");
    history.pushState(null, "", address);
  } else if (entry === "replace") {
    history.replaceState(null, "", address);
  }
}

/** Puts the new list in place of the old, with the focus and all that was opened and scrolled. What is being typed stays; who goes back finds the words of then. */
function swap(old: Element, next: Element, title: string, entry: Entry): void {
  const focused = old.contains(document.activeElement) ? document.activeElement!.id : null;
  const unfolded = $$<HTMLDetailsElement>("details[open]", old).map(({ id }) => id);
  const aside = $(".list-topics", old)?.scrollLeft ?? 0;
  old.replaceWith(next);
  document.title = title;
  for (const details of $$<HTMLDetailsElement>("details", next)) details.open ||= unfolded.includes(details.id);
  const topics = $(".list-topics", next);
  if (topics) topics.scrollLeft = aside;
  if (focused !== null) ((focused && document.getElementById(focused)) || $("a[aria-current]", next) || $<HTMLElement>("#main"))?.focus({ preventScroll: true });
  const field = $<HTMLInputElement>("#q");
  if (field && (entry === "none" || document.activeElement !== field)) field.value = new URLSearchParams(location.search).get("q") ?? "";
  const said = $("#said");
  if (said) said.textContent = ($("#total", next) ?? $("h1", next))?.textContent ?? "";
}
