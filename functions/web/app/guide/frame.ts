/** The measures of the grid: which hours it has, and where on it a time is. */

export const halfHour = 1_800_000; // ms
const day = 86_400_000; // ms
const before = 2 * 3_600_000; // ms before now that the grid begins

/** The grid from a time to another, drawn with some pixels for each half an hour. */
export class Frame {
  readonly from: number;
  readonly to: number;
  /** Pixels: of half an hour, of a row, and of the column of channels. */
  slot = 144;
  row = 64;
  side = 176;

  /** The grid has what guides have: from before now until the end of tomorrow in UTC. */
  constructor(now: number) {
    this.from = Math.floor((now - before) / halfHour) * halfHour;
    this.to = (Math.floor(now / day) + 2) * day;
  }

  /** Pixels from the first hour on. */
  x(time: number): number {
    return ((time - this.from) / halfHour) * this.slot;
  }

  time(x: number): number {
    return this.from + (x / this.slot) * halfHour;
  }

  get width(): number {
    return this.x(this.to);
  }

  /** Reads the measures that the style gives. */
  measure(probe: Element, corner: Element): void {
    const box = probe.getBoundingClientRect();
    this.slot = box.width || this.slot;
    this.row = box.height || this.row;
    this.side = corner.getBoundingClientRect().width || this.side;
  }
}
