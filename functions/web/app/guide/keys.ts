/**
 * The keys of the grid, which a remote control has too: arrows go through the programmes of a channel and from channel to
 * channel at the same hour, Enter opens, Home goes to what is on now. Beyond the edges the arrows of the page go on.
 */

import type { Grid } from "./grid";
import { showAt } from "./tiles";

/**
 * Makes keys work. `open` opens the programme that has the focus. Returns a function to call when programmes have arrived:
 * it repeats the presses to the right that found no further programme.
 */
export function keys(box: HTMLElement, grid: Grid, rows: () => number, open: () => void): () => void {
  let hour: number | null = null; // at which one goes from channel to channel
  let onward = 0; // presses to the right that wait for further programmes
  box.addEventListener("focusin", (event) => take(box, grid, event.target));
  box.addEventListener("pointerdown", () => { onward = 0; });
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key !== "ArrowRight") onward = 0;
    const { row, start } = grid.place;
    const at = hour ?? Math.max(start ?? 0, grid.frame.time(box.scrollLeft), grid.frame.from);
    const page = Math.max(Math.floor(box.clientHeight / grid.frame.row) - 2, 1);
    const go = (to: number): boolean => {
      const next = Math.min(Math.max(to, 0), rows() - 1);
      if (next === row) return false;
      hour = at;
      if (start === null && grid.row(row)?.shows.length) grid.focus({ row: next, start: null });
      else grid.go(next, at);
      return true;
    };
    const acts: Record<string, () => boolean> = {
      ArrowLeft: () => aside(grid, -1),
      ArrowRight: () => {
        if (!atEnd(grid)) return aside(grid, 1);
        onward = Math.min(onward + 1, mostOnward);
        return true;
      },
      ArrowUp: () => go(row - 1), ArrowDown: () => go(row + 1), PageUp: () => go(row - page), PageDown: () => go(row + page),
      Home: () => { grid.show(grid.now()); grid.go(row, grid.now()); return true; },
      Enter: () => { if (start !== null) open(); return start !== null; },
      " ": () => { if (start !== null) open(); return start !== null; },
    };
    const act = acts[event.key];
    if (!act) return;
    if (!["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(event.key)) hour = null;
    if (act()) event.preventDefault();
  });
  return () => {
    for (; onward > 0 && !atEnd(grid) && box.contains(document.activeElement); onward--) aside(grid, 1);
  };
}

const mostOnward = 100;

/** Reports whether the focus is at the last programme of its channel that has been fetched. */
function atEnd(grid: Grid): boolean {
  const { row, start } = grid.place;
  const last = grid.row(row)?.shows.findLast(({ start }) => start < grid.frame.to);
  return start !== null && last?.start === start;
}

/** Takes what was focused by a press or by Tab as the place where one is. */
function take(box: HTMLElement, grid: Grid, target: EventTarget | null): void {
  if (!(target instanceof HTMLElement) || !box.contains(target)) return;
  const row = Number(target.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? -1);
  if (row < 0) return;
  const start = target.dataset["start"];
  grid.place = { row, start: start === undefined ? null : Number(start) };
}

/** Goes to the programme before or after, and before the first to the channel. */
function aside(grid: Grid, by: 1 | -1): boolean {
  const { row, start } = grid.place;
  const shows = (grid.row(row)?.shows ?? []).filter(({ stop, start }) => stop > grid.frame.from && start < grid.frame.to);
  if (start === null) {
    const at = by > 0 ? showAt(shows, grid.now()) : -1;
    if (at < 0) return false;
    grid.focus({ row, start: shows[at]!.start });
    return true;
  }
  const next = shows[shows.findIndex((show) => show.start === start) + by];
  grid.focus({ row, start: next?.start ?? null });
  return true;
}
