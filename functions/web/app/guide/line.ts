/**
 * One row of the grid: a channel and those of its programmes that are near what is seen. The channel stands in the column
 * that all rows share, which is the one thing that sticks: each that does costs time in every frame.
 */

import { h } from "../dom";
import { plate } from "../plate";
import { span, t } from "../texts";
import type { Frame } from "./frame";
import type { Row, Show } from "./tiles";

/** A part of the grid, in pixels. */
export interface Part {
  left: number;
  right: number;
}

export class GridLine {
  readonly element: HTMLElement;
  private readonly cells = new Map<number, HTMLElement>(); // by the start of the programme
  private shows: Show[] = []; // that have a cell
  private cutCell: HTMLElement | undefined; // which begins before what is seen
  private readonly blank = h("div", { role: "gridcell", class: "tl-blank", tabindex: -1 }, h("span", { class: "tl-in" }));
  /** The part of the row in the column of channels: a row by itself, with the same number. */
  readonly channel: HTMLElement;
  private readonly header = h("div", { role: "rowheader", class: "tl-header" });

  constructor(readonly index: number) {
    this.channel = h("div", { role: "row", class: "tl-channel", "aria-rowindex": index + 2, "data-row": index }, this.header);
    this.element = h("div", { role: "row", class: "tl-row", "aria-rowindex": index + 2, "data-row": index });
  }

  /** Reports whether an element is in the row. */
  has(element: Element | null): boolean {
    return this.element.contains(element) || this.channel.contains(element);
  }

  remove(): void {
    this.element.remove();
    this.channel.remove();
  }

  /** Draws what of a row is in a part of the grid, and the programme that has the focus wherever it is. */
  draw(row: Row | undefined, frame: Frame, part: Part, now: number, pinned: number | null, path: (id: string) => string): void {
    this.element.style.top = this.channel.style.top = `${this.index * frame.row}px`;
    if (row && !this.header.firstChild) this.header.append(link(row, path(row.id)));
    const seen = (row?.shows ?? []).filter((show) => show.start === pinned || (frame.x(show.stop) > part.left && frame.x(show.start) < part.right && show.stop > frame.from && show.start < frame.to));
    this.shows = seen;
    const wanted = new Set(seen.map(({ start }) => start));
    for (const [start, cell] of this.cells) {
      if (wanted.has(start)) continue;
      cell.remove();
      this.cells.delete(start);
    }
    for (const show of seen) {
      let cell = this.cells.get(show.start);
      if (!cell) {
        cell = cellOf(show);
        this.cells.set(show.start, cell);
        this.insert(cell, show.start);
      }
      place(cell, show, frame, now);
    }
    this.say(row, frame);
  }

  /** Moves what is said of the programme at the first hour that is seen, which began before it, into sight. */
  cut(frame: Frame, left: number): void {
    const time = frame.time(left);
    const show = this.shows.find(({ start, stop }) => start < time && time < stop);
    const cell = show ? this.cells.get(show.start) : this.blank;
    if (cell !== this.cutCell) shift(this.cutCell, 0);
    shift(cell, show ? left - frame.x(Math.max(show.start, frame.from)) : left);
    this.cutCell = cell;
  }

  /** Puts a cell in the order of time, in which screen readers go through it. */
  private insert(cell: HTMLElement, start: number): void {
    let after: HTMLElement | null = null;
    let least = Infinity;
    for (const [other, element] of this.cells) if (other > start && other < least) [least, after] = [other, element];
    this.element.insertBefore(cell, after);
  }

  /** Says that nothing is known, where a channel has no programme at all, or nothing yet. */
  private say(row: Row | undefined, frame: Frame): void {
    const empty = !row || row.shows.length === 0;
    if (!empty) return this.blank.remove();
    const come = row !== undefined && row.halves.size > 0;
    this.blank.firstElementChild!.textContent = come ? t("schedule.ui.no_guide") : "…";
    this.blank.style.left = `${frame.side}px`;
    this.blank.style.width = `${frame.width}px`;
    if (!this.blank.isConnected) this.element.append(this.blank);
  }

  /** Returns what is focused for a programme, for the channel, or where there is neither. */
  target(start: number | null): HTMLElement {
    if (start === null) return this.channel.querySelector("a") ?? this.blank;
    return this.cells.get(start) ?? this.blank;
  }
}

function link(row: Row, path: string): HTMLElement {
  return h("a", { href: path, tabindex: -1, "data-channel": row.id },
    plate({ id: row.id, name: row.name, logo: row.logo, letters: row.letters, size: row.size, kind: "tv" }, "", { width: 56, height: 35 }),
    h("span", { class: "tl-name", dir: "auto" }, row.name));
}

function cellOf({ start, of }: Show): HTMLElement {
  return h("div", { role: "gridcell", class: "tl-cell", tabindex: -1, "data-start": start },
    h("span", { class: "tl-in" }, h("b", { class: "tl-title", dir: "auto" }, of.titulo), h("span", { class: "tl-time" }, span(of.inicio, of.fim))));
}

function shift(cell: HTMLElement | undefined, by: number): void {
  const text = cell?.firstElementChild;
  if (text instanceof HTMLElement) text.style.left = by > 0 ? `${by}px` : "";
}

/** Programmes that are cut off by the first or the last hour are as long as the rest of them. */
function place(cell: HTMLElement, { start, stop }: Show, frame: Frame, now: number): void {
  const left = frame.x(Math.max(start, frame.from));
  const width = frame.x(Math.min(stop, frame.to)) - left;
  const key = `${left} ${width} ${frame.side}`;
  if (cell.dataset["at"] !== key) {
    cell.dataset["at"] = key;
    cell.style.left = `${frame.side + left}px`;
    cell.style.width = `${width - 2}px`;
    cell.classList.toggle("tl-narrow", width < frame.slot * 0.6);
  }
  const on = start <= now && now < stop;
  if (cell.classList.contains("tl-on") !== on) {
    cell.classList.toggle("tl-on", on);
    if (on) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
  cell.classList.toggle("tl-past", stop <= now);
}
