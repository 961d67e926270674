/**
 * Arrow keys, which a remote control has and no other: they move the focus over
 * the cards and to all that stands around them. The buttons of a card are
 * reached from the card alone, so that one press leads from card to card.
 */

import { $, $$, typing } from "../dom";
import { leaving } from "../page";
import { focusable, nearest, type Direction } from "../spatial";

const directions: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/** Makes arrow keys move the focus. */
export function roam(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || $("dialog[open]")) return;
    const from = document.activeElement instanceof HTMLElement ? document.activeElement : document.body;
    const to = directions[event.key];
    const target = to ? (keeps(from, to) ? null : next(from, to)) : end(from, event.key);
    if (!target) return;
    event.preventDefault();
    focus(target);
  }, { signal: leaving() });
}

/**
 * Reports whether a field needs the key itself: one of choices to go through
 * them, one that is typed into to move along its words, as far as they go.
 */
function keeps(from: HTMLElement, to: Direction): boolean {
  if (!typing(from)) return false;
  const along = to === "left" || to === "right";
  if (!(from instanceof HTMLInputElement)) return along !== from instanceof HTMLSelectElement;
  return along && (from.selectionStart !== from.selectionEnd || from.selectionStart !== (to === "left" ? 0 : from.value.length));
}

function next(from: HTMLElement, to: Direction): HTMLElement | null {
  const main = $("#main");
  if (from === document.body || from === main) return to === "down" || to === "up" ? firstSeen() : null;
  const card = from.closest(".card");
  const fits = (element: HTMLElement) => !element.matches(".card-do *") || element.closest(".card") === card;
  const within = main?.contains(from) ? focusable(main).filter(fits) : [];
  return nearest(from, to, within) ?? nearest(from, to, focusable(document).filter(fits));
}

/** Returns the first card that is seen, where one begins who has the focus nowhere. */
function firstSeen(): HTMLElement | null {
  return $$(".card-link, .most a, .countries a").find((link) => link.getBoundingClientRect().top > 0) ?? null;
}

/** Home and End lead to the first and the last card. */
function end(from: HTMLElement, key: string): HTMLElement | null {
  const cards = key === "Home" || key === "End" ? from.closest(".cards, .most, .countries") : null;
  if (!cards || typing(from)) return null;
  const links = $$(".card-link, a", cards);
  return (key === "Home" ? links[0] : links.at(-1)) ?? null;
}

function focus(target: HTMLElement): void {
  target.focus({ preventScroll: true });
  (target.closest(".card") ?? target).scrollIntoView({ block: "nearest", inline: "nearest" });
}
