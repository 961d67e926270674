/** Plays what the browser reads by itself: stations, and HLS where it knows that. */

import { type Choice, Engine, type Host, languageLabel } from "./engine";
import { ofMedia } from "./failure";
import { diagnose } from "./probe";

/** Audio tracks, which few browsers tell of. */
interface AudioTracks extends ArrayLike<{ enabled: boolean; label: string; language: string }> {}

export class NativeEngine extends Engine {
  #rested = false;

  /** `hop` says that the address is of the hop; `lasting` that it never ends unless something breaks. */
  constructor(media: HTMLVideoElement, host: Host, readonly url: string, readonly hop: boolean, readonly lasting: boolean) {
    super(media, host);
  }

  begin(): void {
    this.listen("error", () => void this.#error());
    if (this.lasting) this.listen("ended", () => { if (!this.recover()) this.host.failed("sem_resposta"); });
    this.media.textTracks.addEventListener("addtrack", () => this.host.changed(), { signal: this.over });
    this.media.src = this.url;
    this.media.load();
  }

  override end(): void {
    super.end();
    this.empty();
  }

  async #error(): Promise<void> {
    const error = this.media.error;
    const code = ofMedia(error?.code);
    if (code === "sem_resposta" && this.media.currentTime > 0 && this.recover()) return;
    if (code) return this.host.failed(code);
    const { code: found, spent } = await diagnose(this.url, this.hop, this.over);
    if (!this.over.aborted) this.host.failed(found, spent);
  }

  override recover(): boolean {
    if (!this.mayRecover()) return false;
    this.media.src = this.url;
    this.media.load();
    return true;
  }

  override rest(): void {
    this.#rested = true;
    this.empty();
  }

  override wake(): void {
    if (!this.#rested) return;
    this.#rested = false;
    this.media.src = this.url;
    this.media.load();
  }

  #texts(): TextTrack[] {
    return [...this.media.textTracks].filter(({ kind }) => kind === "subtitles" || kind === "captions");
  }
  override captions(): Choice[] {
    return this.#texts().map(({ label, language }, id) => ({ id, label: label || languageLabel(language, `#${id + 1}`) }));
  }
  override get caption(): number {
    return this.#texts().findIndex(({ mode }) => mode === "showing");
  }
  override set caption(id: number) {
    this.#texts().forEach((track, i) => { track.mode = i === id ? "showing" : "disabled"; });
  }

  #audios(): AudioTracks {
    return "audioTracks" in this.media ? (this.media.audioTracks as AudioTracks) : [];
  }
  override audios(): Choice[] {
    const tracks = Array.from(this.#audios());
    return tracks.length < 2 ? [] : tracks.map(({ label, language }, id) => ({ id, label: label || languageLabel(language, `#${id + 1}`) }));
  }
  override get audio(): number {
    return Array.from(this.#audios()).findIndex(({ enabled }) => enabled);
  }
  override set audio(id: number) {
    Array.from(this.#audios()).forEach((track, i) => { track.enabled = i === id; });
  }
}
