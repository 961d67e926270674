/**
 * The programmes of the channels of a grid, which are fetched in tiles as they come into sight: some channels for half a
 * day. The tiles of a country are the same for everybody, so that caches have them.
 */

import { ask } from "../api";
import type { Programme } from "../types";

/** A programme with its times in milliseconds. */
export interface Show {
  start: number;
  stop: number;
  of: Programme;
}

/** A channel of the grid. */
export interface Row {
  id: string;
  name: string;
  logo: string | null;
  letters?: string | undefined;
  size?: string | undefined;
  shows: Show[]; // in order
  halves: Set<number>; // the half days of which all programmes are here
}

/** A channel as the API has it. */
export interface Item {
  channel_id: string;
  name: string;
  logo_url: string | null;
  letters?: string;
  size?: string;
  programas: Programme[];
}

interface Answer {
  items: Item[];
  total: number;
}

/** Which channels there are: those of a country in the order of the service, or some by their ids. */
export type Source = { country: string } | { ids: string[] };

const rowsOfTile = 24;
const half = 12 * 3_600_000; // ms

export class Tiles {
  readonly rows: (Row | undefined)[] = [];
  total: number;
  private readonly asked = new Set<string>();

  /** `changed` is called after rows have come, `failed` when they did not. */
  constructor(private readonly source: Source, total: number, private readonly signal: AbortSignal, private readonly changed: () => void, private readonly failed: () => void) {
    this.total = "ids" in source ? source.ids.length : total;
  }

  /** Takes rows that are there already, from one of them on. */
  put(from: number, items: Item[], halves: number[] = []): void {
    items.forEach((item, i) => {
      const row = this.rowOf(item, from + i);
      if (!row) return;
      for (const half of halves) row.halves.add(half);
      merge(row.shows, item.programas);
    });
  }

  /**
   * Returns the row of a channel: the one where the service lists it or, since the order changes with what is watched, the
   * one where it was listed before. Undefined when another channel has its place.
   */
  private rowOf(item: Item, at: number): Row | undefined {
    const there = this.rows[at] ??= { id: item.channel_id, name: item.name, logo: item.logo_url, letters: item.letters, size: item.size, shows: [], halves: new Set() };
    return there.id === item.channel_id ? there : this.rows.find((row) => row?.id === item.channel_id);
  }

  /** Fetches what is not here of some rows and hours. */
  need(firstRow: number, lastRow: number, from: number, to: number): void {
    const end = Math.min(lastRow, this.total - 1);
    for (let tile = Math.floor(Math.max(firstRow, 0) / rowsOfTile); tile * rowsOfTile <= end; tile++) {
      for (let n = Math.floor(from / half); n * half < to; n++) void this.fetch(tile, n);
    }
  }

  private async fetch(tile: number, n: number): Promise<void> {
    const key = `${tile} ${n}`;
    if (this.asked.has(key)) return;
    this.asked.add(key);
    try {
      const answer = await ask<Answer>("GET", `/api/guide/grid?${this.query(tile, n)}`, undefined, {}, this.signal);
      if (!("ids" in this.source)) this.total = answer.total;
      this.put(tile * rowsOfTile, answer.items, [n]);
      this.changed();
    } catch {
      if (!this.signal.aborted) this.failed();
    }
  }

  /** Forgets what was asked for and did not come, so that it is asked for again. */
  again(): void {
    for (const key of this.asked) {
      const [tile = 0, n = 0] = key.split(" ").map(Number);
      if (!this.rows[tile * rowsOfTile]?.halves.has(n)) this.asked.delete(key);
    }
  }

  private query(tile: number, n: number): string {
    const at = tile * rowsOfTile;
    const from = `${new Date(n * half).toISOString().slice(0, 19)}Z`;
    if ("ids" in this.source) return new URLSearchParams({ ids: this.source.ids.slice(at, at + rowsOfTile).join(","), from, hours: "12" }).toString();
    const { country } = this.source;
    return new URLSearchParams({ ...(country && { country }), playable: "1", limit: String(rowsOfTile), offset: String(at), from, hours: "12" }).toString();
  }
}

/** Puts programmes among those that are there, each once. */
function merge(shows: Show[], programmes: Programme[]): void {
  const known = new Set(shows.map(({ start }) => start));
  for (const of of programmes) {
    const start = Date.parse(of.inicio);
    if (!known.has(start)) shows.push({ start, stop: Date.parse(of.fim), of });
  }
  shows.sort((a, b) => a.start - b.start);
}

/** Returns the number of the programme that is on at a time, or that comes nearest to it; -1 without any. */
export function showAt(shows: Show[], time: number): number {
  let best = -1;
  let least = Infinity;
  shows.forEach(({ start, stop }, i) => {
    const off = time < start ? start - time : time >= stop ? time - stop + 1 : 0;
    if (off < least) [best, least] = [i, off];
  });
  return best;
}
