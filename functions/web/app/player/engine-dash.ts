/** Plays DASH by dash.js. */

import { MediaPlayer, type MediaPlayerClass } from "dashjs";
import { type Choice, Engine, type Host, languageLabel, qualityChoices } from "./engine";
import { isSpent, ofDash, ofMedia } from "./failure";
import { hidden } from "./probe";

/** What dash.js puts beside the number of an error. */
interface Detail {
  response?: { status?: number } | null;
  request?: { url?: string } | null;
}

export class DashEngine extends Engine {
  readonly #dash: MediaPlayerClass = MediaPlayer().create();
  #fixed = -1;
  #caption = -1;
  #rested = false;

  constructor(media: HTMLVideoElement, host: Host, readonly url: string) {
    super(media, host);
  }

  begin(): void {
    const dash = this.#dash;
    dash.updateSettings({
      debug: { logLevel: 0 },
      streaming: {
        abr: { limitBitrateByPortal: true },
        manifestRequestTimeout: 10_000,
        fragmentRequestTimeout: 15_000,
        retryAttempts: { MPD: 1, MediaSegment: 2, InitializationSegment: 1, IndexSegment: 1 },
        text: { defaultEnabled: false },
      },
    });
    dash.initialize(this.media, undefined, false);
    dash.clearDefaultUTCTimingSources(); // the clock of a stranger
    dash.on("error", (event: { error?: unknown }) => void this.#error(event.error));
    for (const name of ["streamInitialized", "textTracksAdded"]) dash.on(name, () => this.host.changed());
    this.listen("error", () => this.fail(ofMedia(this.media.error?.code) ?? "codec"));
    dash.attachSource(this.url);
  }

  override end(): void {
    super.end();
    this.#dash.destroy();
    this.empty();
  }

  async #error(error: unknown): Promise<void> {
    await null; // dash.js is not to be taken apart while it tells
    if (this.failing || this.over.aborted) return;
    const { code, data } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown; data?: Detail | null };
    const status = Number(data?.response?.status ?? 0);
    this.failing = true;
    const verdict = ofDash(Number(code) || 0, status) ?? (await hidden(data?.request?.url ?? this.url, this.over));
    this.failing = false;
    this.fail(verdict, isSpent({ status }));
  }

  override recover(): boolean {
    if (!this.mayRecover()) return false;
    if (this.#dash.isDynamic()) this.#dash.seekToOriginalLive();
    return true;
  }

  override rest(): void {
    this.#rested = true;
  }

  override wake(): void {
    if (this.#rested && this.#dash.isReady() && this.#dash.isDynamic()) this.#dash.seekToOriginalLive();
    this.#rested = false;
  }

  #pictures(): ReturnType<MediaPlayerClass["getRepresentationsByType"]> {
    return this.#dash.isReady() ? this.#dash.getRepresentationsByType("video") : [];
  }
  override qualities(): Choice[] {
    const all = this.#pictures();
    return all.length < 2 ? [] : qualityChoices(all.map(({ height, bandwidth }, id) => ({ id, height, bits: bandwidth })));
  }
  override get quality(): number {
    return this.#fixed;
  }
  override set quality(id: number) {
    const picture = this.#pictures()[id];
    this.#fixed = picture ? id : -1;
    this.#dash.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: !picture } } } });
    if (picture) this.#dash.setRepresentationForTypeById("video", picture.id, true);
  }

  #tracks(type: "text" | "audio"): ReturnType<MediaPlayerClass["getTracksFor"]> {
    return this.#dash.isReady() ? this.#dash.getTracksFor(type) : [];
  }
  override captions(): Choice[] {
    return this.#tracks("text").map(({ lang }, id) => ({ id, label: languageLabel(lang ?? undefined, `#${id + 1}`) }));
  }
  override get caption(): number {
    return this.#caption;
  }
  override set caption(id: number) {
    this.#caption = id;
    this.#dash.enableText(id >= 0);
    this.#dash.setTextTrack(id);
  }

  override audios(): Choice[] {
    const tracks = this.#tracks("audio");
    return tracks.length < 2 ? [] : tracks.map(({ lang }, id) => ({ id, label: languageLabel(lang ?? undefined, `#${id + 1}`) }));
  }
  override get audio(): number {
    const now = this.#dash.isReady() ? this.#dash.getCurrentTrackFor("audio") : null;
    return now ? this.#tracks("audio").findIndex(({ index }) => index === now.index) : -1;
  }
  override set audio(id: number) {
    const track = this.#tracks("audio")[id];
    if (track) this.#dash.setCurrentTrack(track);
  }
}
