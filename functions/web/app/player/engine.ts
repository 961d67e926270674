/**
 * An engine plays one stream. This is the part that the engines of all kinds of
 * streams share, and what an engine reports to the player. Engines import this
 * file and not the player, which imports them.
 */

import { number } from "../texts";
import type { FailureCode } from "../types";

/** A choice that a stream offers, such as a quality or a language of captions. */
export interface Choice {
  id: number;
  label: string;
}

/** How the player wants a stream to be played. */
export interface Asked {
  /** The name of the channel, for people who cannot see the picture. */
  title: string;
  /** It must play at once. */
  autoplay: boolean;
}

/** What an engine reports to the player. */
export interface Host {
  /** It can do no more. `spent` says that the service refused the one who looks, `ours` that it does not work itself: then nothing is known of the stream. */
  failed(code: FailureCode, spent?: boolean, ours?: boolean): void;
  /** What can be chosen changed. */
  changed(): void;
  /** One that plays by itself, without the media element, did so. */
  state(state: "ready" | "playing" | "waiting" | "paused"): void;
}

/** Seconds of media after which an engine has recovered for good. */
const steady = 30;

/** An engine plays one stream once. Its methods do nothing where a kind of streams knows no such thing. */
export abstract class Engine {
  /** The last trouble that it got over by itself, which explains why it may stand still later. */
  trouble: FailureCode | null = null;
  #over = new AbortController();
  #recovered = 0;
  #shown = 0; // seconds of media
  #since = 0; // of which the last recovery was

  constructor(readonly media: HTMLVideoElement, readonly host: Host) {}

  /** Is aborted at the end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Begins to load. */
  abstract begin(): void;

  /** Ends, and lets go of the media element. */
  end(): void {
    this.#over.abort();
  }

  /** Tries to go on after the media stood still; false when there is nothing left to try. */
  recover(): boolean {
    return false;
  }

  /** Stops to load, as one paused for long. */
  rest(): void {}
  /** Loads again, and goes to what is on now. */
  wake(): void {}

  /** Reports whether this engine plays by itself, without the media element. */
  get embedded(): boolean {
    return false;
  }
  play(): Promise<void> {
    return this.media.play();
  }
  pause(): void {
    this.media.pause();
  }
  time(): number {
    return this.media.currentTime;
  }

  qualities(): Choice[] {
    return [];
  }
  get quality(): number {
    return -1;
  }
  set quality(_id: number) {}
  captions(): Choice[] {
    return [];
  }
  get caption(): number {
    return -1;
  }
  set caption(_id: number) {}
  audios(): Choice[] {
    return [];
  }
  get audio(): number {
    return -1;
  }
  set audio(_id: number) {}

  /** Listens to the media element until the end. */
  protected listen(name: keyof HTMLMediaElementEventMap, listener: () => void): void {
    this.media.addEventListener(name, listener, { signal: this.over });
  }

  /** Is told how many seconds of media were shown. */
  shown(total: number): void {
    this.#shown = total;
    if (total - this.#since >= steady) this.#recovered = 0;
  }

  /** Reports whether it may recover: of a failure now and then, not of one after the other. */
  protected mayRecover(): boolean {
    this.#since = this.#shown;
    return ++this.#recovered <= 2;
  }

  /** It has failed, or what it heard of is being looked into. */
  protected failing = false;

  /** Tells the player that it can do no more: once, and not when it has ended. */
  protected fail(code: FailureCode, spent = false): void {
    if (this.failing || this.over.aborted) return;
    this.failing = true;
    this.host.failed(code, spent);
  }

  /** Empties the media element. */
  protected empty(): void {
    this.media.removeAttribute("src");
    this.media.load();
  }
}

/** Names a quality by its lines and, when two have as many or none, by its bits. */
export function qualityLabel(height: number, bits: number, twice: boolean): string {
  const rate = bits >= 1e6 ? `${number(Math.round(bits / 1e5) / 10)} Mbit/s` : `${number(Math.round(bits / 1000))} kbit/s`;
  if (!height) return rate;
  return twice ? `${height}p · ${rate}` : `${height}p`;
}

/** Lists qualities, best first. */
export function qualityChoices(all: { id: number; height: number; bits: number }[]): Choice[] {
  const heights = all.map(({ height }) => height);
  return [...all]
    .sort((a, b) => b.height - a.height || b.bits - a.bits)
    .map(({ id, height, bits }) => ({ id, label: qualityLabel(height, bits, heights.indexOf(height) !== heights.lastIndexOf(height)) }));
}

/** Names a language in the language of the page; its code when it has no name. */
export function languageLabel(code: string | undefined, otherwise: string): string {
  if (!code) return otherwise;
  try {
    return new Intl.DisplayNames(document.documentElement.lang || "en", { type: "language" }).of(code) ?? otherwise;
  } catch {
    return otherwise;
  }
}
