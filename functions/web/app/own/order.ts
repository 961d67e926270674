/**
 * Ordering by dragging. The library that does it is loaded when there is
 * something to order; whoever has no pointer orders by keys and buttons.
 */

import { $$ } from "../dom";

export interface Ordering {
  /** What of an element it is dragged by; without it, all of it, after a while on a touch screen. */
  handle?: string;
  /** An element was dropped at another place of its list. */
  moved(from: number, to: number): void;
  /** What else elements may be dropped on. */
  onto?: string;
  dropped?(element: HTMLElement, on: HTMLElement): void;
  /** A drag has ended, however it did. */
  ended(): void;
}

let drags = 0;

/** Reports whether something is being dragged: then lists are best left alone. */
export function dragging(): boolean {
  return drags > 0;
}

/** Lets the children of a list be dragged. */
export async function orderable(list: HTMLElement, ordering: Ordering): Promise<void> {
  const loaded = await import("sortablejs").catch(() => null);
  if (!loaded) return; // keys and buttons remain
  let over: HTMLElement | null = null;

  function follow(event: PointerEvent): void {
    const on = target(event, ordering.onto);
    if (on === over) return;
    over?.classList.remove("drop");
    on?.classList.add("drop");
    over = on;
  }

  loaded.default.create(list, {
    ...(ordering.handle ? { handle: ordering.handle } : { delay: 250, delayOnTouchOnly: true }),
    animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 120,
    forceFallback: true, // the same everywhere, and by touch as well
    fallbackOnBody: true,
    fallbackTolerance: 4,
    ghostClass: "drag-from",
    fallbackClass: "drag-with",
    onStart() {
      drags++;
      if (ordering.onto) document.addEventListener("pointermove", follow);
    },
    onEnd(event) {
      drags--;
      document.removeEventListener("pointermove", follow);
      for (const element of $$(".drop")) element.classList.remove("drop");
      const on = over;
      over = null;
      if (on) ordering.dropped?.(event.item, on);
      else if (event.oldIndex !== undefined && event.newIndex !== undefined && event.oldIndex !== event.newIndex) ordering.moved(event.oldIndex, event.newIndex);
      ordering.ended();
    },
  });
}

/** Returns what is under the pointer besides the element that goes with it. */
function target(event: PointerEvent, selector: string | undefined): HTMLElement | null {
  return selector ? document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>(selector) ?? null : null;
}
