/**
 * Watches whether media goes on. Time counts as lost only while one may expect
 * it to: neither a laptop that slept nor a tab behind others is a stream that
 * stands still.
 */

export interface Watched {
  /** Where the media is, in seconds. */
  time(): number;
  /** Whether it should move now. */
  expected(): boolean;
  /** The media moved; total is how much of it was shown since the start. */
  moved(total: number): void;
  /** It did not move for so many seconds, though it was to. */
  still(seconds: number): void;
}

const interval = 500; // ms

/** A browser that is busy, or a tab that is behind others, looks seldom. No look counts for more. */
const longest = 2; // seconds

/** A second of media makes up for so many that were lost. */
const worth = 4;

export class Watch {
  #timer: number | undefined;
  #last = 0;
  #at = 0;
  #total = 0;
  #lost = 0;

  constructor(readonly watched: Watched) {}

  /** Begins anew. */
  start(now: number = performance.now()): void {
    this.stop();
    this.#total = this.#lost = 0;
    this.#last = now;
    this.#at = this.watched.time();
    this.#timer = setInterval(() => this.look(performance.now()), interval);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Forgets how long it stood still. */
  forgive(): void {
    this.#lost = 0;
  }

  /** Looks once. */
  look(now: number): void {
    const passed = (now - this.#last) / 1000;
    const at = this.watched.time();
    const step = at - this.#at;
    this.#last = now;
    this.#at = at;
    if (step !== 0) {
      if (step < 0 || step > passed * 2 + 1) return; // one sought
      this.#lost = Math.max(0, this.#lost - worth * step); // hls.js nudges what stands still: that is not to go on
      return this.watched.moved((this.#total += step));
    }
    if (!this.watched.expected()) return;
    this.watched.still((this.#lost += Math.min(passed, longest)));
  }
}
