/** Chooses what plays a stream. Each way is loaded only when a stream needs it. */

import type { FailureCode, Stream } from "../types";
import { addressOf } from "./address";
import type { Asked, Engine, Host } from "./engine";
import type { Place } from "./failure";

/** One way to play a stream. */
export interface Way {
  /** Loads what it needs. Nothing touches the media element before it is made. */
  load(): Promise<Make>;
  /** Fetches what it begins with before it is wanted, for a stage of a height in pixels. */
  ahead?(height: number): Promise<void>;
  /** Whether this way may help after those before it failed so. */
  helps(code: FailureCode): boolean;
}

type Make = (media: HTMLVideoElement, host: Host, asked: Asked) => Engine;

const hlsType = "application/vnd.apple.mpegurl";

/** Returns the ways to play a stream, best first. */
export function waysOf(stream: Stream, media: HTMLVideoElement, place: Place): Way[] {
  switch (stream.kind) {
    case "hls":
      return hlsWays(stream, media, place);
    case "ts":
    case "flv":
      return [once(async () => {
        const { MpegtsEngine } = await import("./engine-mpegts");
        return (m, host) => new MpegtsEngine(m, host, addressOf(stream), stream.kind);
      })];
    case "dash":
      return [once(async () => {
        const { DashEngine } = await import("./engine-dash");
        return (m, host) => new DashEngine(m, host, addressOf(stream));
      })];
    case "audio":
      return [once(native(addressOf(stream), false, true))];
    case "youtube":
      return [once(async () => {
        const { YouTubeEngine } = await import("./engine-youtube");
        return (m, host, asked) => new YouTubeEngine(m, host, stream.youtube!, asked);
      })];
    default:
      return [];
  }
}

function once(load: Way["load"]): Way {
  return { load, helps: () => true };
}

function after(load: Way["load"], ...codes: FailureCode[]): Way {
  return { load, helps: (code) => codes.includes(code) };
}

function native(url: string, hop: boolean, lasting: boolean): Way["load"] {
  return async () => {
    const { NativeEngine } = await import("./engine-native");
    return (m, host) => new NativeEngine(m, host, url, hop, lasting);
  };
}

/**
 * HLS plays by hls.js, which tells what is wrong and lets one choose. The
 * browser's own needs no leave of the origin to read it, if the playlist is of
 * that origin too. Where there is AirPlay, only the browser's own has it.
 */
function hlsWays(stream: Stream, media: HTMLVideoElement, place: Place): Way[] {
  const script: Way["load"] = async () => {
    const { HlsEngine } = await import("./engine-hls");
    return (m, host) => new HlsEngine(m, host, stream, place);
  };
  const scripted: Way = { ...once(script), ahead: async (height) => (await import("./engine-hls")).ahead(stream, height) };
  const relayed = native(addressOf(stream), true, false);
  const direct = native(stream.provider_url ?? stream.url, false, false);
  if (!place.mse) return [once(relayed), after(direct, "codec")];
  if (media.canPlayType(hlsType) === "") return [scripted];
  if ("WebKitPlaybackTargetAvailabilityEvent" in window) return [once(relayed), after(script, "codec", "outro")];
  return [scripted, after(direct, "cors")];
}

/** Says where this page is. */
export function here(): Place {
  return { secure: location.protocol === "https:", mse: "MediaSource" in window || "ManagedMediaSource" in window };
}
