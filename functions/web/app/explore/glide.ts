/** Movement of the globe: it goes on after it was let go, and flies to what is chosen. Without movement for those who want none. */

import type { Sight } from "./paint";

const recent = 90; // ms before it was let go whose speed counts
const friction = .0035; // per ms
const slowest = .004; // degrees per ms, below which it stops
const flight = 550; // ms

export class Glide {
  private frame = 0;
  private felt: { lon: number; lat: number; at: number }[] = [];
  private goal: Sight | null = null;

  constructor(private readonly sight: Sight, private readonly turned: () => void) {}

  /** Where it is going to, or else is. */
  get target(): Sight {
    return this.goal ?? this.sight;
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.felt = [];
    this.goal = null;
  }

  /** Notes where the globe was dragged to. */
  feel({ lon, lat }: Sight): void {
    const at = performance.now();
    this.felt = [...this.felt.filter((felt) => at - felt.at < recent), { lon, lat, at }];
  }

  /** Lets the globe go, at the speed at which it was dragged. */
  go(): void {
    const [first, last] = [this.felt[0], this.felt.at(-1)];
    this.stop();
    if (!first || !last || last.at === first.at || performance.now() - last.at > recent || calm()) return;
    const time = last.at - first.at;
    let [lon, lat] = [((last.lon - first.lon + 540) % 360 - 180) / time, (last.lat - first.lat) / time];
    let was = performance.now();
    const step = (now: number): void => {
      const passed = Math.max(now - was, 0);
      was = now;
      this.sight.lon += lon * passed;
      this.sight.lat += lat * passed;
      const rest = Math.exp(-friction * passed);
      [lon, lat] = [lon * rest, lat * rest];
      this.turned();
      if (Math.hypot(lon, lat) * this.sight.zoom > slowest) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  /** Flies there, the shorter way around. */
  to(part: Partial<Sight>, arrived?: () => void): void {
    const from = { ...this.sight };
    const to = { ...this.target, ...part };
    this.stop();
    this.goal = to;
    const by = (to.lon - from.lon + 540) % 360 - 180;
    const start = performance.now();
    const step = (now: number): void => {
      const part = calm() ? 1 : Math.min((now - start) / flight, 1);
      const eased = 1 - (1 - Math.max(part, 0)) ** 3;
      this.sight.lon = from.lon + by * eased;
      this.sight.lat = from.lat + (to.lat - from.lat) * eased;
      this.sight.zoom = from.zoom * (to.zoom / from.zoom) ** eased;
      if (part >= 1) this.goal = null;
      this.turned();
      if (part < 1) this.frame = requestAnimationFrame(step);
      else arrived?.();
    };
    this.frame = requestAnimationFrame(step);
  }
}

/** Reports whether nothing is to move by itself. */
function calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
