/**
 * Plays a channel: takes its streams in their order, each with what can play
 * it, and goes on to the next by itself when one fails.
 */

import type { ChannelFull, FailureCode, Stream } from "../types";
import type { Choice, Engine, Host } from "./engine";
import { here, type Way, waysOf } from "./engines";
import { barred, telling } from "./failure";
import { Watch } from "./watch";

export type State =
  | "idle" // nothing was asked to play
  | "connecting" // a stream is being tried
  | "ready" // it would play, but the browser wants a press first
  | "playing"
  | "waiting" // for data, in the midst of playing, or for the network
  | "paused"
  | "failed"; // no stream of the channel plays here

export interface PlayerEvents {
  /** The state changed. */
  state: CustomEvent<State>;
  /** Another stream is tried, or what can be chosen of it changed. */
  stream: CustomEvent<Stream>;
  /** A stream failed, and the next is tried: null when there is none. */
  fallback: CustomEvent<{ from: Stream; code: FailureCode; to: Stream | null }>;
  /** The channel is shown whole: its media advanced. Once for each channel. */
  played: CustomEvent<{ stream: Stream }>;
  /**
   * Nothing of the channel plays. Once for each channel; code is of the first,
   * best stream, unless another's tells more. `ours` says that the fault is the
   * service's, which tells nothing of the channel and is not to be reported;
   * `spent`, that it is so because the free minutes of the one who looks are over.
   */
  failed: CustomEvent<{ code: FailureCode; ours: boolean; spent: boolean }>;
}

const enough = 3; // seconds of media after which a channel played
const patience = 20; // seconds from a start to the first picture or sound
const stillness = 12; // seconds that media may stand still in the midst
const steady = 60; // seconds of media after which earlier failures are forgiven
const nap = 30_000; // ms of a pause after which nothing more is loaded

export class Player extends EventTarget {
  /** The element that plays, within the stage from the start; an iframe takes its place for embedded streams. */
  readonly media: HTMLVideoElement = document.createElement("video");
  state: State = "idle";
  stream: Stream | null = null;

  /** What failed so far, by the ids of streams. */
  readonly failures: Map<string, FailureCode> = new Map();

  #channel: ChannelFull | null = null;
  #engine: Engine | null = null;
  #ways: Way[] = [];
  #run = 0; // tells what an engine of before says from what this one does
  #wanted = false; // to play
  #pinned = false;
  #begun = false; // the stream showed something
  #steady = false; // it has for long
  #ours = false;
  #spent = false;
  #code: FailureCode | null = null; // of the first way of the stream that failed
  #told = new Set<string>();
  #nap: number | undefined;
  readonly #place = here();
  readonly #watch: Watch;

  constructor(readonly stage: HTMLElement) {
    super();
    const { media } = this;
    media.playsInline = true;
    media.preload = "auto";
    media.className = "player-media";
    stage.prepend(media);
    this.#watch = new Watch({
      time: () => this.#engine?.time() ?? 0,
      expected: () => this.#expected(),
      moved: (total) => this.#moved(total),
      still: (seconds) => this.#still(seconds),
    });
    media.addEventListener("loadedmetadata", () => { if (this.#wanted) void this.#start(); else if (this.state === "connecting") this.#set("paused"); });
    media.addEventListener("playing", () => this.#shown("playing"));
    media.addEventListener("waiting", () => { if (this.state === "playing") this.#set("waiting"); });
    media.addEventListener("play", () => this.#resumed());
    media.addEventListener("pause", () => { if (!media.ended) this.#paused(); });
    media.addEventListener("ended", () => { if (this.#engine && this.state !== "failed") this.#set("paused"); });
    document.addEventListener("visibilitychange", () => this.#watch.forgive());
  }

  on<K extends keyof PlayerEvents>(name: K, listener: (event: PlayerEvents[K]) => void): void {
    this.addEventListener(name, listener as EventListener);
  }

  /** Takes another channel; whatever plays ends. */
  load(channel: ChannelFull): void {
    this.stop();
    this.#channel = channel;
    this.#told.clear();
    this.#forget();
    this.media.setAttribute("aria-label", channel.name);
  }

  /**
   * Gets ready for a channel that may come next: loads what plays its best stream, and the playlists of that stream while
   * this one comes from the hop too, where the minute counts already. Never rejects.
   */
  async ahead(channel: ChannelFull): Promise<void> {
    const stream = channel.streams.find((one) => !barred(one, this.#place));
    const [way] = stream ? waysOf(stream, this.media, this.#place) : [];
    try {
      await way?.load();
      if (this.state === "playing" && this.stream?.kind === "hls") await way?.ahead?.(this.stage.clientHeight * devicePixelRatio);
    } catch {
      // It is loaded when it is wanted.
    }
  }

  /** Starts or goes on. Never rejects. */
  async play(): Promise<void> {
    this.#wanted = true;
    if (this.#engine) {
      if (!this.#engine.embedded) this.#resumed();
      return this.#start();
    }
    if (this.state === "connecting" || this.state === "waiting") return; // it comes by itself
    if (this.state === "failed") this.#forget();
    const next = this.#pinned ? this.stream : this.#next();
    if (next) this.#try(next);
    else this.#giveUp();
  }

  pause(): void {
    this.#wanted = false;
    this.#engine?.pause();
    if (this.state === "connecting" || this.state === "ready" || this.state === "waiting") this.#set("paused");
  }

  /** Tries a stream at once, and none but it until another is chosen or the channel changes. */
  choose(stream: Stream): void {
    this.#pinned = this.#wanted = true;
    this.failures.delete(stream.id);
    this.#try(stream);
  }

  /** Ends what plays and lets go of everything it took. */
  stop(): void {
    this.#end();
    this.#wanted = this.#pinned = false;
    this.stream = null;
    this.#set("idle");
  }

  qualities(): Choice[] { return this.#engine?.qualities() ?? []; }
  /** The chosen quality; -1 is that which fits by itself. */
  get quality(): number { return this.#engine?.quality ?? -1; }
  setQuality(id: number): void { if (this.#engine) this.#engine.quality = id; }
  captions(): Choice[] { return this.#engine?.captions() ?? []; }
  /** The captions that are shown; -1 for none. */
  get caption(): number { return this.#engine?.caption ?? -1; }
  setCaption(id: number): void { if (this.#engine) this.#engine.caption = id; }
  audios(): Choice[] { return this.#engine?.audios() ?? []; }
  get audio(): number { return this.#engine?.audio ?? -1; }
  setAudio(id: number): void { if (this.#engine) this.#engine.audio = id; }

  /** Forgets what failed, but for what cannot play here at all. */
  #forget(): void {
    this.failures.clear();
    this.#ours = this.#spent = false;
    for (const stream of this.#channel?.streams ?? []) {
      const code = barred(stream, this.#place);
      if (code) this.failures.set(stream.id, code);
    }
  }

  /** Returns the best stream that has not failed. */
  #next(): Stream | null {
    return this.#channel?.streams.find(({ id }) => !this.failures.has(id)) ?? null;
  }

  #try(stream: Stream): void {
    this.#code = null;
    this.stream = stream;
    const code = barred(stream, this.#place);
    this.#ways = code ? [] : waysOf(stream, this.media, this.#place);
    const way = this.#ways.shift();
    if (way) return void this.#open(stream, way);
    this.#end();
    this.#set("connecting");
    this.#emit("stream", stream);
    this.#failed(stream, code ?? "protocolo");
  }

  async #open(stream: Stream, way: Way): Promise<void> {
    this.#end();
    const run = this.#run;
    this.#begun = this.#steady = false;
    this.#set("connecting");
    this.#emit("stream", stream);
    const host = this.#host(stream, run);
    try {
      const make = await way.load();
      if (run !== this.#run) return;
      this.#engine = make(this.media, host, { title: this.#channel?.name ?? "", autoplay: this.#wanted });
      this.#watch.start();
      this.#engine.begin();
    } catch {
      if (run !== this.#run) return;
      this.#ours = true; // the engine could not be loaded
      this.#other(stream, "outro", false);
    }
  }

  /** Returns whom an engine speaks to, as long as it is the one that plays. */
  #host(stream: Stream, run: number): Host {
    const now = <A extends unknown[]>(act: (...args: A) => void) => (...args: A): void => { if (run === this.#run) act(...args); };
    return {
      failed: now((code, spent = false, ours = false) => {
        this.#ours ||= ours;
        this.#other(stream, code, spent);
      }),
      changed: now(() => this.#emit("stream", stream)),
      state: now((state) => {
        if (state === "playing") this.#shown(state);
        else if (state === "paused") this.#paused();
        else if (state === "ready" ? this.state === "connecting" : this.state === "playing") this.#set(state);
      }),
    };
  }

  /** Ends the engine, whatever it does. */
  #end(): void {
    this.#run++;
    this.#watch.stop();
    window.clearTimeout(this.#nap);
    window.removeEventListener("online", this.#online);
    const engine = this.#engine;
    this.#engine = null;
    engine?.end();
  }

  async #start(): Promise<void> {
    const run = this.#run;
    try {
      await this.#engine?.play();
    } catch (error) {
      if (run !== this.#run || !(error instanceof DOMException) || error.name !== "NotAllowedError") return; // the engine tells of others
      this.#set("ready");
      this.#sleep();
    }
  }

  #shown(state: State): void {
    if (!this.#engine) return;
    this.#begun = true;
    this.#watch.forgive();
    this.#set(state);
  }

  #resumed(): void {
    this.#wanted = true;
    window.clearTimeout(this.#nap);
    this.#engine?.wake();
  }

  #paused(): void {
    if (!this.#engine || this.state === "connecting" || this.state === "failed") return;
    this.#wanted = false;
    this.#set("paused");
    this.#sleep();
  }

  /** Stops to load what nobody sees, after a while. */
  #sleep(): void {
    window.clearTimeout(this.#nap);
    this.#nap = window.setTimeout(() => this.#engine?.rest(), nap);
  }

  /** Reports whether the media should move: it is to play, the network is there, and browsers do not hold it, as those do that are hidden and mute. */
  #expected(): boolean {
    const held = document.hidden && (this.media.muted || this.media.volume === 0 || !this.#begun);
    return !held && navigator.onLine && (this.state === "connecting" || this.state === "playing" || this.state === "waiting");
  }

  #moved(total: number): void {
    this.#engine?.shown(total);
    if (this.state === "waiting") this.#set("playing");
    if (total >= steady && !this.#steady) {
      this.#steady = true;
      this.#forget();
    }
    if (total < enough || !this.stream || this.#told.has("played")) return;
    this.#told.add("played");
    this.#emit("played", { stream: this.stream });
  }

  #still(seconds: number): void {
    const engine = this.#engine;
    if (!engine || !this.stream) return;
    if (!this.#begun) {
      if (seconds >= patience) this.#other(this.stream, engine.trouble ?? "sem_resposta", false);
      return;
    }
    if (seconds < stillness) return;
    this.#watch.forgive();
    this.#set("waiting");
    if (engine.recover()) void this.#start();
    else this.#other(this.stream, engine.trouble ?? "sem_resposta", false);
  }

  /** Plays a stream in another way, if one may help; else it failed. */
  #other(stream: Stream, code: FailureCode, spent: boolean): void {
    if (!navigator.onLine) return this.#wait(stream);
    this.#code ??= code;
    this.#spent ||= spent;
    for (let way = this.#ways.shift(); way; way = this.#ways.shift()) {
      if (way.helps(code)) return void this.#open(stream, way);
    }
    this.#failed(stream, this.#code);
  }

  /** Waits for the network, and then tries the stream again. */
  #wait(stream: Stream): void {
    this.#end();
    this.stream = stream;
    this.#set("waiting");
    window.addEventListener("online", this.#online, { once: true });
  }

  readonly #online = (): void => {
    if (this.stream && this.#wanted) this.#try(this.stream);
    else this.#set("paused");
  };

  #failed(stream: Stream, code: FailureCode): void {
    this.#end();
    this.failures.set(stream.id, code);
    const to = this.#pinned ? null : this.#next();
    this.#emit("fallback", { from: stream, code, to });
    if (to) this.#try(to);
    else this.#giveUp();
  }

  #giveUp(): void {
    this.#end();
    this.#set("failed");
    const streams = this.#channel?.streams ?? [];
    const codes = streams.flatMap(({ id }) => this.failures.get(id) ?? []);
    if (codes.length < streams.length || this.#told.has("failed")) return; // another may still play
    this.#told.add("failed");
    this.#emit("failed", { code: telling(codes), ours: this.#ours || this.#spent, spent: this.#spent });
  }

  #set(state: State): void {
    if (this.state === state) return;
    this.state = state;
    this.#emit("state", state);
  }

  #emit<K extends keyof PlayerEvents>(name: K, detail: PlayerEvents[K]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
