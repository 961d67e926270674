/**
 * Moves focus as one looks: to what stands above, below, left or right. It is
 * what a remote control has instead of a Tab key.
 */

export type Direction = "up" | "down" | "left" | "right";

const reachable = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Returns what can be focused within, in the order of the document. */
export function focusable(within: ParentNode): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(reachable)].filter((element) =>
    element.tabIndex >= 0 && !element.matches(":disabled, [type=range], [inert] *") && element.checkVisibility({ visibilityProperty: true }) && onPage(element));
}

/** What is kept out of the page until it is focused is reached by Tab alone. */
function onPage(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && box.bottom + scrollY > 0;
}

/** Moves focus from an element. What is around a part of the page comes after what is in it. Reports whether there was anything. */
export function move(from: HTMLElement, to: Direction): boolean {
  const part = from.closest<HTMLElement>("main, header, footer");
  const target = (part && nearest(from, to, focusable(part))) ?? nearest(from, to, focusable(document)) ?? inOrder(from, to);
  target?.focus();
  return target !== null;
}

/** Left and right lead on along the text where nothing stands beside. */
function inOrder(from: HTMLElement, to: Direction): HTMLElement | null {
  if (to === "up" || to === "down") return null;
  const all = focusable(document);
  const wanted = to === "right" ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const beyond = all.filter((element) => from.compareDocumentPosition(element) & wanted && !from.contains(element) && !element.contains(from));
  return (to === "right" ? beyond[0] : beyond.at(-1)) ?? null;
}

/**
 * Returns the nearest of some elements in a direction. Beside means in the same
 * row; above and below may be out of line, but the less the better.
 */
export function nearest(from: Element, to: Direction, among: HTMLElement[]): HTMLElement | null {
  const a = from.getBoundingClientRect();
  let best: HTMLElement | null = null;
  let least = Infinity;
  for (const element of among) {
    if (element === from || element.contains(from) || from.contains(element)) continue;
    const far = distance(a, element.getBoundingClientRect(), to);
    if (far < least) [best, least] = [element, far];
  }
  return best;
}

const slack = 2; // pixels by which neighbours may overlap

function distance(a: DOMRect, b: DOMRect, to: Direction): number {
  const vertical = to === "up" || to === "down";
  const ahead = to === "down" ? b.top - a.bottom : to === "up" ? a.top - b.bottom : to === "right" ? b.left - a.right : a.left - b.right;
  if (ahead < -slack) return Infinity;
  const aside = vertical ? gap(a.left, a.right, b.left, b.right) : gap(a.top, a.bottom, b.top, b.bottom);
  if (!vertical && aside > 0) return Infinity;
  const off = vertical ? Math.abs(a.left - b.left) : Math.abs(a.top + a.bottom - b.top - b.bottom) / 2;
  return Math.max(ahead, 0) + 3 * aside + off / 20;
}

function gap(fromA: number, toA: number, fromB: number, toB: number): number {
  return Math.max(0, fromB - toA, fromA - toB);
}
