/** Goes from channel to channel: along the line one came from, to a number of it, and back to the last. */

import { along, arrived, beside, extend, listed, recall, remember, type Line, type Stop } from "../zap";
import type { ChannelFull } from "../types";

const settle = 200; // ms: who presses on and on passes by what lies between
const margin = 3; // stops before the end of the line at which more of it is asked for

/** Whom a zapper tells. */
export interface Listener {
  /** A stop is headed for: it is to be shown at once, and is gone to when one stays. Its number is 0 when the line lacks it. */
  aim(stop: Stop, number: number): void;
  /** Where one can go has changed. */
  line(): void;
}

export class Zapper {
  line: Line | null = recall();
  private here: Stop | null = null;
  private last: Stop | null = null;
  private aimed: Stop | null = null;
  private timer = 0;
  private away = false; // another channel was gone to, and has not arrived
  private pressed = -Infinity; // when a step was last pressed

  constructor(private readonly go: (path: string) => void, private readonly listener: Listener) {}

  /** Tells that a channel is shown now. */
  arrive(channel: ChannelFull): void {
    this.away = false;
    if (!this.timer) this.aimed = null; // else one presses on while the channels between arrive
    this.here = { id: channel.id, name: channel.name, path: beside(channel.id), logo: channel.logo_url, letters: channel.letters, size: channel.size };
    this.line ??= listed(this.here);
    this.last = arrived(this.here);
    this.mark();
    void this.lengthen();
  }

  /** Keeps where one is in the line. */
  private mark(): void {
    const at = this.number - 1;
    if (this.line && at >= 0) {
      this.line.at = at;
      remember(this.line);
    }
    this.listener.line();
  }

  /** Finds more of the line before its end comes. */
  private async lengthen(): Promise<void> {
    if (this.line && (this.line.at ?? 0) + margin >= this.line.stops.length && await extend(this.line)) this.listener.line();
  }

  /** The number of the channel in the line; 0 when the line lacks it. */
  get number(): number {
    return (this.line?.stops.findIndex((stop) => stop.id === this.here?.id) ?? -1) + 1;
  }

  /** Returns the stop before or after, or null. */
  beside(by: 1 | -1): Stop | null {
    const from = this.aimed ?? this.here;
    return (this.line && from && this.line.stops[along(this.line, from.id, by)]) || null;
  }

  /** Goes to the stop before or after. Reports whether there is one. */
  step(by: 1 | -1): boolean {
    const now = performance.now();
    const alone = now - this.pressed > 2 * settle; // else one presses on and on
    this.pressed = now;
    return this.head(this.beside(by), alone ? 0 : settle);
  }

  /** Goes to a number of the line. Reports whether it has it. */
  jump(number: number): boolean {
    return this.head(this.line?.stops[number - 1] ?? null, 0);
  }

  /** Goes back to the channel that was shown before. Reports whether there was one. */
  back(): boolean {
    return this.head(this.last, 0);
  }

  private head(stop: Stop | null, after: number): boolean {
    if (!stop) return false;
    clearTimeout(this.timer);
    this.aimed = stop;
    this.listener.aim(stop, (this.line?.stops.findIndex(({ id }) => id === stop.id) ?? -1) + 1);
    const arrive = (): void => {
      this.timer = 0;
      if (stop.id === this.here?.id && !this.away) {
        this.aimed = null;
        return;
      }
      this.away = true;
      this.go(stop.path); // the aim stays until it is there: one may press on meanwhile
    };
    if (after > 0) this.timer = window.setTimeout(arrive, after);
    else arrive();
    return true;
  }
}
