/**
 * Fetches the playlists of a stream that may be wanted next, so that it begins without a request for one. The hop does
 * not count that as a play: it is asked once more when the stream is really shown.
 */

import Hls, { type HlsConfig, type Loader, type LoaderResponse, type PlaylistLoaderContext } from "hls.js";

/** A playlist that was fetched ahead. */
interface Kept {
  response: LoaderResponse;
  at: number;
}

/** A stream whose playlists were fetched ahead, and the quality that it begins with. */
interface Prepared {
  level: number;
  at: number;
}

const life = 20_000; // ms for which a playlist is good: the segments that it names must still be there
const renew = 10_000; // ms after which it is fetched again, if the stream is still likely to come next
const longest = 8_000; // ms that fetching may take
const share = 0.7; // of the bandwidth, which the first quality may take

const kept = new Map<string, Kept>();
const prepared = new Map<string, Prepared>();
let running: Hls | null = null;

const Base = Hls.DefaultConfig.loader as unknown as new (config: HlsConfig) => Loader<PlaylistLoaderContext>;
type Load = Parameters<Loader<PlaylistLoaderContext>["load"]>;

/** Tells the hop that nobody sees the stream yet. */
function unseen(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}ahead=1`;
}

function take(url: string): Kept | null {
  const found = kept.get(url);
  kept.delete(url);
  return found && performance.now() - found.at < life ? found : null;
}

/** Keeps what it fetches. */
class Fetching extends Base {
  override load(...[context, config, callbacks]: Load): void {
    const asked = (context.type as string) === "manifest" ? { ...context, url: unseen(context.url) } : context;
    super.load(asked, config, {
      ...callbacks,
      onSuccess(response, stats, _asked, details) {
        const found = response.url === asked.url ? { ...response, url: context.url } : response;
        kept.set(context.url, { response: found, at: performance.now() });
        callbacks.onSuccess(found, stats, context, details);
      },
    });
  }
}

/** Takes what was kept, once, and fetches anything else. */
export class Taking extends Base {
  #gone = false;
  #age: number | null = null;

  override load(...[context, config, callbacks]: Load): void {
    const found = context.deliveryDirectives ? null : take(context.url);
    if (!found) return super.load(context, config, callbacks);
    const now = performance.now();
    const { stats } = this as unknown as { stats: Parameters<typeof callbacks.onSuccess>[1] };
    Object.assign(stats.loading, { start: now, first: now, end: now });
    stats.loaded = stats.total = String(found.response.data).length;
    this.#age = (now - found.at) / 1000;
    queueMicrotask(() => { if (!this.#gone) callbacks.onSuccess(found.response, stats, context, null); });
  }

  override abort(): void {
    this.#gone = true;
    super.abort();
  }

  override destroy(): void {
    this.#gone = true;
    super.destroy();
  }

  override getCacheAge = (): number | null => this.#age ?? Base.prototype.getCacheAge?.call(this) ?? null;
}

/** Returns what was prepared of the stream at an address, or null; it is good for one start. */
export function preparedOf(url: string): Prepared | null {
  const found = prepared.get(url);
  prepared.delete(url);
  return found && kept.has(url) && performance.now() - found.at < life ? found : null;
}

/** Fetches the playlists of the stream at an address, in the best quality that fits a bandwidth and a height. */
export function prepare(url: string, settings: Partial<HlsConfig>, bandwidth: number, height: number): void {
  const before = prepared.get(url);
  if (before && performance.now() - before.at < renew) return;
  running?.destroy();
  kept.clear();
  const hls = running = new Hls({ ...settings, enableWorker: false, autoStartLoad: false, pLoader: Fetching });
  const end = (): void => {
    clearTimeout(late);
    queueMicrotask(() => hls.destroy());
    if (running === hls) running = null;
  };
  const late = setTimeout(end, longest);
  const { Events } = Hls;
  let [picture, sound] = [false, false];
  let level = 0;
  const done = (): void => {
    if (!picture || !sound) return;
    prepared.clear();
    prepared.set(url, { level, at: performance.now() });
    end();
  };
  hls.on(Events.ERROR, (_name, { fatal }) => { if (fatal) end(); });
  hls.on(Events.MANIFEST_PARSED, (_name, { levels }) => {
    level = Math.max(0, levels.findLastIndex((one) => one.bitrate <= share * bandwidth && one.height <= height));
    hls.startLevel = level;
    hls.startLoad();
  });
  hls.on(Events.LEVEL_LOADED, () => {
    picture = true;
    sound ||= !hls.audioTracks.some((track) => track.url);
    done();
  });
  hls.on(Events.AUDIO_TRACK_LOADED, () => {
    sound = true;
    done();
  });
  hls.loadSource(url);
}
