/** Plays HLS by hls.js, for browsers that take media from scripts. */

import Hls, { type ErrorData, type HlsConfig, type LoadPolicy } from "hls.js";
import type { Stream } from "../types";
import { addressOf } from "./address";
import { prepare, preparedOf, Taking } from "./ahead";
import { type Choice, Engine, type Host, languageLabel, qualityChoices } from "./engine";
import { type HlsTrouble, isOurs, isSpent, ofHls, ofMedia, type Place } from "./failure";
import { faultOf, hidden } from "./probe";

/** Waits and tries so often: what is dead is to be known in seconds, and what falters is to go on. */
function policy(first: number, whole: number, tries: number): LoadPolicy {
  const retry = { maxNumRetry: tries, retryDelayMs: 700, maxRetryDelayMs: 4000 };
  return { default: { maxTimeToFirstByteMs: first, maxLoadTimeMs: whole, timeoutRetry: { ...retry, maxNumRetry: tries - 1 }, errorRetry: retry } };
}

function config(worker: string): Partial<HlsConfig> {
  return {
    ...(worker ? { workerPath: worker } : { enableWorker: false }),
    capLevelToPlayerSize: true,
    liveDurationInfinity: true, // by which one tells what is live
    backBufferLength: 30,
    maxBufferLength: 20,
    manifestLoadPolicy: policy(10_000, 15_000, 1),
    playlistLoadPolicy: policy(10_000, 15_000, 2),
    fragLoadPolicy: policy(10_000, 40_000, 2),
    keyLoadPolicy: policy(8_000, 15_000, 1),
    captionsTextTrack1Label: "CC1", captionsTextTrack1LanguageCode: "",
    captionsTextTrack2Label: "CC2", captionsTextTrack2LanguageCode: "",
    captionsTextTrack3Label: "CC3", captionsTextTrack3LanguageCode: "",
    captionsTextTrack4Label: "CC4", captionsTextTrack4LanguageCode: "",
  };
}

/** The bandwidth that the last stream had, by which the next chooses its first quality; 0 before the first. */
let bandwidth = 0;

/** Prepares a stream that may be wanted next, to begin on a stage of a height in pixels. */
export function ahead(stream: Stream, height: number): void {
  prepare(addressOf(stream), config(""), bandwidth, Math.max(height, 360));
}

/** Captions within the picture have numbers from here on; those of the playlist have lower ones. */
const within = 1000;

export class HlsEngine extends Engine {
  static supported(): boolean {
    return Hls.isSupported();
  }

  readonly #hls: Hls;
  #caption = -1;
  #rested = false;
  #counted = true; // the hop knows that the stream is played

  constructor(media: HTMLVideoElement, host: Host, readonly stream: Stream, readonly place: Place) {
    super(media, host);
    const ready = preparedOf(addressOf(stream));
    this.#counted = ready === null;
    this.#hls = new Hls({ ...config(document.body.dataset["worker"] ?? ""), ...(ready && { pLoader: Taking, startLevel: ready.level, testBandwidth: false, ...(bandwidth > 0 && { abrEwmaDefaultEstimate: bandwidth }) }) });
  }

  begin(): void {
    const hls = this.#hls;
    const { Events } = Hls;
    hls.on(Events.ERROR, (_name, data) => void this.#error(data));
    for (const name of [Events.MANIFEST_PARSED, Events.LEVELS_UPDATED, Events.AUDIO_TRACKS_UPDATED] as const) hls.on(name, () => this.host.changed());
    hls.on(Events.SUBTITLE_TRACKS_UPDATED, () => queueMicrotask(() => { // after hls.js took one that nobody asked for
      if (this.over.aborted) return;
      hls.subtitleTrack = this.#caption < within ? this.#caption : -1;
      this.host.changed();
    }));
    this.media.textTracks.addEventListener("addtrack", () => this.host.changed(), { signal: this.over });
    this.listen("error", () => this.#mediaError());
    hls.attachMedia(this.media);
    hls.loadSource(addressOf(this.stream));
  }

  override end(): void {
    super.end();
    if (this.#hls.bandwidthEstimate) bandwidth = this.#hls.bandwidthEstimate;
    if (this.media.readyState === HTMLMediaElement.HAVE_NOTHING && this.media.src.startsWith("blob:")) {
      this.media.removeAttribute("src"); // before hls.js takes its address back, of which the element would tell that it is lost
      this.media.load();
    }
    this.#hls.destroy();
  }

  async #error(data: ErrorData): Promise<void> {
    if (!data.fatal) {
      if (data.type === Hls.ErrorTypes.NETWORK_ERROR) this.trouble = ofHls(this.#trouble(data), this.place);
      return;
    }
    if (this.failing || this.#goOn(data)) return;
    this.failing = true;
    const trouble = this.#trouble(data);
    const code = ofHls(trouble, this.place) ?? (await hidden(trouble.url, this.over));
    if (!this.over.aborted) this.host.failed(code, isSpent(trouble), isOurs(trouble));
  }

  /** Lets hls.js try once more, where that may help. */
  #goOn(data: ErrorData): boolean {
    const { ErrorDetails, ErrorTypes } = Hls;
    if (data.type === ErrorTypes.MEDIA_ERROR) {
      const hopeless = data.details === ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR || data.details === ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR
        || data.details === ErrorDetails.BUFFER_ADD_CODEC_ERROR || data.details === ErrorDetails.FRAG_PARSING_ERROR;
      if (hopeless || !this.mayRecover()) return false;
      this.#hls.recoverMediaError();
      return true;
    }
    const began = this.media.currentTime > 0 && this.media.readyState > 0;
    if (data.type !== ErrorTypes.NETWORK_ERROR || !began || !this.mayRecover()) return false;
    this.#hls.startLoad();
    return true;
  }

  #mediaError(): void {
    if (this.failing) return;
    if (this.mayRecover()) {
      this.#hls.recoverMediaError();
      return;
    }
    this.fail(ofMedia(this.media.error?.code) ?? "codec");
  }

  /** Reads what hls.js tells, and what the hop said to it. */
  #trouble(data: ErrorData): HlsTrouble {
    const hop = /^(manifest|level|audioTrack|subtitleTrack)/.test(data.details);
    const trouble = { type: data.type, details: data.details, hop, status: data.response?.code ?? 0, url: data.url ?? data.response?.url ?? data.frag?.url };
    const answer: unknown = data.networkDetails;
    if (!hop || !(answer instanceof XMLHttpRequest) || answer.readyState < XMLHttpRequest.HEADERS_RECEIVED) return trouble;
    return { ...trouble, error: faultIn(answer), upstream: upstreamIn(answer) };
  }

  /** Tells the hop of a play that began with playlists from before. */
  override shown(total: number): void {
    super.shown(total);
    bandwidth = this.#hls.bandwidthEstimate || bandwidth;
    if (this.#counted || total === 0) return;
    this.#counted = true;
    void fetch(addressOf(this.stream), { credentials: "omit", cache: "no-store", signal: this.over }).then((answer) => answer.body?.cancel()).catch(() => null);
  }

  override recover(): boolean {
    if (!this.mayRecover()) return false;
    const at = this.#hls.liveSyncPosition;
    this.#hls.stopLoad();
    this.#hls.startLoad();
    if (at !== null && at > this.media.currentTime) this.media.currentTime = at;
    return true;
  }

  override rest(): void {
    this.#rested = true;
    this.#hls.stopLoad();
  }

  override wake(): void {
    if (!this.#rested) return;
    this.#rested = false;
    this.#hls.once(Hls.Events.LEVEL_UPDATED, (_name, { details }) => {
      const at = this.#hls.liveSyncPosition;
      if (details.live && at !== null && at > this.media.currentTime) this.media.currentTime = at;
    });
    this.#hls.startLoad();
  }

  override qualities(): Choice[] {
    if (this.#hls.levels.length < 2) return [];
    return qualityChoices(this.#hls.levels.map((level, id) => ({ id, height: level.height, bits: level.bitrate })));
  }
  override get quality(): number {
    return this.#hls.autoLevelEnabled ? -1 : this.#hls.nextLevel;
  }
  override set quality(id: number) {
    this.#hls.nextLevel = id;
  }

  /** Captions within the picture, as text tracks that hls.js made of them. */
  #within(): TextTrack[] {
    return [...this.media.textTracks].filter((track) => track.kind === "captions" && /^CC\d$/.test(track.label));
  }
  override captions(): Choice[] {
    const listed = this.#hls.subtitleTracks.map(({ name, lang }, id) => ({ id, label: name || languageLabel(lang, `#${id + 1}`) }));
    return [...listed, ...this.#within().map(({ label }, i) => ({ id: within + i, label }))];
  }
  override get caption(): number {
    return this.#caption;
  }
  override set caption(id: number) {
    this.#caption = id;
    this.#hls.subtitleTrack = id < within ? id : -1;
    this.#within().forEach((track, i) => { track.mode = i === id - within ? "showing" : "disabled"; });
  }

  override audios(): Choice[] {
    const tracks = this.#hls.audioTracks;
    return tracks.length < 2 ? [] : tracks.map(({ name, lang }, id) => ({ id, label: name || languageLabel(lang, `#${id + 1}`) }));
  }
  override get audio(): number {
    return this.#hls.audioTrack;
  }
  override set audio(id: number) {
    this.#hls.audioTrack = id;
  }
}

function faultIn(answer: XMLHttpRequest): string | undefined {
  if (answer.responseType !== "" && answer.responseType !== "text") return undefined;
  try {
    return faultOf(JSON.parse(answer.responseText));
  } catch {
    return undefined;
  }
}


/** Returns what the origin answered to the hop. Asking for a header that scripts may not read would be told to the console. */
function upstreamIn(answer: XMLHttpRequest): number {
  return Number(/^x-service-upstream-status: *(\d+)/im.exec(answer.getAllResponseHeaders())?.[1]);
}
