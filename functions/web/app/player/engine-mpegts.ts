/** Plays continuous MPEG-TS and FLV by mpegts.js. */

import mpegts from "mpegts.js";
import type { StreamKind } from "../types";
import { Engine, type Host } from "./engine";
import { isSpent, ofMedia, ofMpegts } from "./failure";
import { hidden } from "./probe";

type Mpegts = ReturnType<typeof mpegts.createPlayer>;

export class MpegtsEngine extends Engine {
  readonly #player: Mpegts;
  #rested = false;

  constructor(media: HTMLVideoElement, host: Host, readonly url: string, kind: StreamKind) {
    super(media, host);
    mpegts.LoggingControl.enableAll = false;
    this.#player = mpegts.createPlayer(
      { type: kind === "flv" ? "flv" : "mpegts", url, isLive: true, cors: true, withCredentials: false },
      // Its workers are of blob: addresses, which the policy of the page knows not.
      { enableWorker: false, lazyLoad: false, autoCleanupSourceBuffer: true, liveBufferLatencyChasing: false },
    );
  }

  begin(): void {
    const { ERROR, LOADING_COMPLETE } = mpegts.Events;
    this.#player.on(ERROR, (type: string, detail: string, info?: { code?: number }) => void this.#error(type, detail, info?.code ?? 0));
    this.#player.on(LOADING_COMPLETE, () => { if (!this.failing) this.trouble = "sem_resposta"; }); // what never ends was cut
    this.listen("error", () => this.fail(ofMedia(this.media.error?.code) ?? "codec"));
    this.#player.attachMediaElement(this.media);
    this.#player.load();
  }

  override end(): void {
    super.end();
    this.#player.destroy();
  }

  async #error(type: string, detail: string, status: number): Promise<void> {
    await null; // mpegts.js is not to be taken apart while it tells
    if (this.failing || this.over.aborted) return;
    if (type === mpegts.ErrorTypes.NETWORK_ERROR && this.media.currentTime > 0 && this.recover()) return;
    this.failing = true;
    const code = ofMpegts(type, detail, Math.max(status, 0)) ?? (await hidden(this.url, this.over));
    this.failing = false;
    this.fail(code, isSpent({ status }));
  }

  override recover(): boolean {
    if (!this.mayRecover()) return false;
    this.#again();
    return true;
  }

  #again(): void {
    this.#player.unload();
    this.#player.load();
  }

  override rest(): void {
    this.#rested = true;
    this.#player.unload();
  }

  override wake(): void {
    if (!this.#rested) return;
    this.#rested = false;
    this.#player.load();
  }
}
