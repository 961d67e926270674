/**
 * Plays lives of the video platform in its privacy-enhanced frame, and hears
 * from it, by messages alone, whether they do: no script of theirs runs here.
 */

import { h } from "../dom";
import { locale } from "../texts";
import type { YouTube } from "../types";
import { type Asked, Engine, type Host } from "./engine";
import { ofYouTube } from "./failure";

const home = "https://www.youtube-nocookie.com";
const greeting = 300; // ms between greetings, until the frame answers one

/** What the frame tells. */
interface Message {
  event?: unknown;
  info?: { playerState?: unknown; currentTime?: unknown } | number | null;
}

export class YouTubeEngine extends Engine {
  readonly #frame: HTMLIFrameElement;
  #time = 0;
  #timer: number | undefined;

  constructor(media: HTMLVideoElement, host: Host, youtube: YouTube, { autoplay, title }: Asked) {
    super(media, host);
    const url = new URL(youtube.embed);
    if (url.origin !== home) throw new Error("not an embed of the platform");
    const asked = { enablejsapi: "1", autoplay: autoplay ? "1" : "0", playsinline: "1", rel: "0", hl: locale, origin: location.origin };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    this.#frame = h("iframe", {
      src: url.href, title, class: "player-frame", allow: "autoplay; encrypted-media; fullscreen; picture-in-picture",
      referrerpolicy: "strict-origin-when-cross-origin",
    });
  }

  begin(): void {
    window.addEventListener("message", (event) => this.#hear(event), { signal: this.over });
    this.#frame.addEventListener("load", () => { // until then its window is of this origin, and takes no message
      this.#timer ??= window.setInterval(() => this.#say({ event: "listening", id: 1, channel: "widget" }), greeting);
    }, { once: true, signal: this.over });
    this.media.hidden = true;
    this.media.after(this.#frame);
  }

  override end(): void {
    super.end();
    window.clearInterval(this.#timer);
    this.#frame.remove();
    this.media.hidden = false;
  }

  #say(message: object): void {
    this.#frame.contentWindow?.postMessage(JSON.stringify(message), home);
  }

  #hear(event: MessageEvent): void {
    if (event.source !== this.#frame.contentWindow || event.origin !== home || typeof event.data !== "string") return;
    let message: Message;
    try {
      message = JSON.parse(event.data) as Message;
    } catch {
      return;
    }
    if (this.#timer) {
      window.clearInterval(this.#timer);
      this.#timer = undefined;
      for (const name of ["onStateChange", "onError"]) this.#command("addEventListener", [name]);
    }
    this.#take(message);
  }

  #take({ event, info }: Message): void {
    if (event === "onError") return this.host.failed(ofYouTube(Number(info)));
    if (event === "onStateChange") return this.#state(info);
    if (typeof info !== "object" || info === null) return;
    if (typeof info.currentTime === "number") this.#time = info.currentTime;
    this.#state(info.playerState);
  }

  #state(state: unknown): void {
    const states: Record<string, Parameters<Host["state"]>[0]> = { "-1": "ready", 1: "playing", 2: "paused", 3: "waiting", 5: "ready" };
    const known = states[String(state)];
    if (known) this.host.state(known);
  }

  #command(func: string, args: unknown[] = []): void {
    this.#say({ event: "command", func, args, id: 1, channel: "widget" });
  }

  override get embedded(): boolean {
    return true;
  }
  override async play(): Promise<void> {
    this.#command("playVideo");
  }
  override pause(): void {
    this.#command("pauseVideo");
  }
  override time(): number {
    return this.#time;
  }
}
