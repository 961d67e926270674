/**
 * The grid of channels and hours, of which only what is near the part that is seen is in the document. Rows have one
 * height and programmes stand where their hours are, so where everything is follows from numbers.
 */

import { $, h } from "../dom";
import { dayOfWeek, hour, t } from "../texts";
import { Frame, halfHour } from "./frame";
import { GridLine, type Part } from "./line";
import { showAt, type Row, type Tiles } from "./tiles";

const spareRows = 5; // above and below what is seen
const spare = 0.4; // of what is seen, on its left and on its right
const second = 1000; // ms
const restAfter = 80; // ms without scrolling
const lead = 0.25; // of what is seen, that stands before the hour that one goes to

/** Where the focus is: at a programme by its start, or at the channel. */
export interface Place {
  row: number;
  start: number | null;
}

export class Grid {
  readonly frame: Frame;
  private readonly lines = new Map<number, GridLine>();
  private readonly corner = h("div", { role: "columnheader", class: "tl-corner" });
  private readonly hours = h("div", { role: "row", class: "tl-hours", "aria-rowindex": 1 }, this.corner);
  private readonly mark = h("div", { class: "tl-now", "aria-hidden": "true" });
  private readonly side = h("div", { class: "tl-side", role: "presentation" });
  private readonly body = h("div", { role: "rowgroup", class: "tl-body" }, this.side, this.mark);
  private readonly probe = h("div", { class: "tl-probe", "aria-hidden": "true" });
  private part: Part = { left: 0, right: -1 };
  private drawing = false;
  private rest = 0; // a timer
  /** Where the focus is or comes to. */
  place: Place = { row: 0, start: null };

  constructor(private readonly box: HTMLElement, private readonly tiles: Tiles, private readonly path: (id: string) => string, readonly now: () => number) {
    this.frame = new Frame(now());
    box.setAttribute("role", "grid");
    box.setAttribute("aria-label", t("schedule.ui.grid"));
    box.replaceChildren(this.probe, this.hours, this.body);
    this.hours.append(...this.labels());
    this.fit();
  }

  private labels(): HTMLElement[] {
    const all: HTMLElement[] = [];
    for (let at = this.frame.from; at < this.frame.to; at += halfHour) {
      const iso = new Date(at).toISOString();
      all.push(h("div", { role: "columnheader", class: "tl-hour" }, h("time", { datetime: iso }, hour(iso))));
    }
    return all;
  }

  /** Takes the measures of the window, and draws anew. */
  fit(): void {
    const at = this.frame.time(this.box.scrollLeft);
    const seen = this.part.right >= 0;
    this.frame.measure(this.probe, this.corner);
    this.hours.style.width = this.body.style.width = `${this.frame.side + this.frame.width}px`;
    if (seen) this.box.scrollLeft = this.frame.x(at);
    this.part = { left: 0, right: -1 };
    this.draw();
    this.settle();
  }

  /** Draws in the next frame, and once scrolling has come to rest what is seen of programmes that are cut. */
  later(): void {
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.settle(), restAfter);
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  private settle(): void {
    for (const line of this.lines.values()) line.cut(this.frame, this.box.scrollLeft);
  }

  /** Draws what is near the part that is seen. */
  draw(): void {
    const { box, frame, tiles } = this;
    const { scrollTop, scrollLeft, clientHeight } = box;
    const width = Math.max(box.clientWidth - frame.side, 1);
    this.move(scrollLeft, width);
    const first = Math.max(Math.floor(scrollTop / frame.row) - spareRows, 0);
    const last = Math.min(Math.ceil((scrollTop + clientHeight) / frame.row) + spareRows, tiles.total - 1);
    tiles.need(first, last, Math.max(frame.time(this.part.left), frame.from), Math.min(frame.time(this.part.right), frame.to));
    this.body.style.height = `${tiles.total * frame.row}px`;
    box.setAttribute("aria-rowcount", String(tiles.total + 1));
    for (const [index, line] of this.lines) {
      if ((index >= first && index <= last) || (index === this.place.row && line.has(document.activeElement))) continue;
      line.remove();
      this.lines.delete(index);
    }
    for (let index = first; index <= last; index++) this.line(index);
    this.clock();
    this.reach();
  }

  /** Chooses which part of the hours is drawn, when what is seen comes near the end of what is. */
  private move(left: number, width: number): void {
    const near = width * spare / 2;
    const { part } = this;
    if (part.left <= Math.max(left - near, 0) && part.right >= Math.min(left + width + near, this.frame.width)) return;
    this.part = { left: left - width * spare, right: left + width * (1 + spare) };
    for (const line of this.lines.values()) this.fill(line);
  }

  private line(index: number): GridLine {
    let line = this.lines.get(index);
    if (line) return line;
    line = new GridLine(index);
    this.lines.set(index, line);
    this.fill(line);
    let before: GridLine | undefined;
    for (const other of this.lines.values()) if (other.index > index && other.element.isConnected && (!before || other.index < before.index)) before = other;
    this.body.insertBefore(line.element, before?.element ?? this.mark);
    this.side.insertBefore(line.channel, before?.channel ?? null);
    return line;
  }

  private fill(line: GridLine): void {
    const pinned = line.index === this.place.row ? this.place.start : null;
    line.draw(this.tiles.rows[line.index], this.frame, this.part, this.now(), pinned, this.path);
  }

  /** Draws rows again that have changed. A focus on a row without programmes moves to the programme that is on, once there is one. */
  refresh(): void {
    const waiting = document.activeElement?.classList.contains("tl-blank") && this.box.contains(document.activeElement);
    for (const line of this.lines.values()) this.fill(line);
    this.draw();
    this.settle();
    if (waiting) this.go(this.place.row, this.now());
  }

  /** Moves the line of now on, and says of which day the first hour is that is seen. */
  clock(): void {
    this.mark.style.left = `${this.frame.side + this.frame.x(this.now())}px`;
    const day = dayOfWeek(this.frame.time(this.box.scrollLeft));
    if (this.corner.textContent !== day) this.corner.textContent = day;
  }

  /** Redraws which programmes are on. */
  tick(): void {
    for (const line of this.lines.values()) this.fill(line);
    this.clock();
  }

  /** Shows a time, with some of what is before it. */
  show(time: number): void {
    const width = this.box.clientWidth - this.frame.side;
    this.box.scrollLeft = this.frame.x(time) - width * lead;
    this.draw();
    this.settle();
  }

  /** Goes on or back by what is seen, less half an hour. */
  turn(by: 1 | -1): void {
    this.box.scrollLeft += by * Math.max(this.box.clientWidth - this.frame.side - this.frame.slot, this.frame.slot);
    this.draw();
  }

  row(index: number): Row | undefined {
    return this.tiles.rows[index];
  }

  /** Focuses the programme of a row that is on at a time, or the nearest; where it has none, what stands there. */
  go(index: number, time: number): void {
    const shows = this.row(index)?.shows ?? [];
    const at = showAt(shows, time);
    this.focus({ row: index, start: shows[at]?.start ?? null }, shows.length === 0);
  }

  /** Focuses a place, which comes into sight. `blank` means what stands in a row without programmes. */
  focus(place: Place, blank = false): void {
    this.place = place;
    this.see(place);
    const line = this.line(place.row);
    this.fill(line);
    const target = blank ? $(".tl-blank", line.element) ?? line.target(null) : line.target(place.start);
    this.reach(target);
    target.focus({ preventScroll: true });
  }

  /** Scrolls as little as is needed to see a place. */
  private see({ row, start }: Place): void {
    const { box, frame } = this;
    const head = this.hours.offsetHeight;
    const top = row * frame.row;
    box.scrollTop = Math.max(Math.min(box.scrollTop, top), top + frame.row + head - box.clientHeight);
    const show = this.row(row)?.shows.find((show) => show.start === start);
    if (show) {
      const width = box.clientWidth - frame.side;
      const left = frame.x(Math.max(show.start, frame.from));
      const right = frame.x(Math.min(show.stop, frame.to));
      if (left < box.scrollLeft || right > box.scrollLeft + width) box.scrollLeft = right - left > width || left < box.scrollLeft ? left - frame.slot / 4 : right - width + frame.slot / 4;
    }
    this.draw();
  }

  /** Makes one place of the grid reachable by Tab: the one that had the focus last, or else what is on in the first row. */
  private reach(target?: HTMLElement): void {
    const to = target ?? this.lines.get(this.place.row)?.target(this.place.start) ?? this.lines.values().next().value?.target(null);
    if (!to || to.tabIndex === 0) return;
    for (const old of this.box.querySelectorAll<HTMLElement>('[tabindex="0"]')) old.tabIndex = -1;
    to.tabIndex = 0;
  }
}

/** How often the line of now moves. */
export const everyTick = 20 * second;
