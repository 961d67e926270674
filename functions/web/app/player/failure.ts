/**
 * Says which of the interface's codes a failure is, from what the engines and
 * the hop tell of it. Nothing here asks or waits.
 */

import type { FailureCode, Stream } from "../types";

/**
 * What a failure means; null when the browser hides it, as it does with every
 * answer that scripts may not read: then whether the address answers tells.
 */
export type Verdict = FailureCode | null;

/** Where a page is, as far as it matters for what can play in it. */
export interface Place {
  /** The page is of https, and so may load nothing of http. */
  secure: boolean;
  /** The browser takes media from scripts. */
  mse: boolean;
}

/** Returns why a stream cannot play here at all; null when it may be tried. */
export function barred(stream: Stream, place: Place): Verdict {
  if (stream.kind === "youtube") return stream.youtube ? null : "protocolo";
  if (stream.kind === "externo" || stream.provider_url === null) return "protocolo";
  if (place.secure && stream.scheme === "http") return "protocolo";
  if (!place.mse && (stream.kind === "ts" || stream.kind === "flv" || stream.kind === "dash")) return "codec";
  return null;
}

/** Judges the status of an origin that was asked for media; null when it is none of a failure. */
export function ofStatus(status: number): Verdict {
  if (status === 401 || status === 403 || status === 451) return "geo";
  if (status === 404 || status === 410) return "sumiu";
  return status >= 400 ? "sem_resposta" : null;
}

/** An answer of the hop that is no playlist. */
export interface Refusal {
  status: number;
  /** The code of the fault in the body. */
  error?: string | undefined;
  /** What the origin answered to the hop. */
  upstream?: number | undefined;
}

/** Judges an answer of the hop. One without a status is of a hop that does not answer. */
export function ofHop({ status, error, upstream = 0 }: Refusal): FailureCode {
  if (error === "playlist_acesso") return "geo";
  if (error === "playlist_limite") return "playlist";
  if (error === "playlist_origem") return ofStatus(upstream) ?? "playlist";
  if (status === 404 || status === 410) return "sumiu";
  if (status === 402) return "outro"; // it speaks of the one who asks, not of the stream
  if (status === 422) return "playlist";
  return status === 0 || status >= 500 || status === 429 || status === 408 ? "sem_resposta" : "outro";
}

/** Reports whether the hop refused because of the one who asks, whose minutes are over. */
export function isSpent(refusal: Refusal): boolean {
  return refusal.status === 402;
}

/** What hls.js tells of an error, with what the hop added to it. */
export interface HlsTrouble extends Refusal {
  type: string;
  details: string;
  /** What was loaded. */
  url?: string | undefined;
  /** The playlist or the file came from the hop. */
  hop: boolean;
}

const listTrouble = new Set(["manifestParsingError", "levelParsingError", "levelEmptyError", "playlistUnchangedError"]);

/** Judges an error of hls.js. */
export function ofHls(trouble: HlsTrouble, place: Place): Verdict {
  const { type, details } = trouble;
  if (details === "manifestIncompatibleCodecsError") return "codec";
  if (listTrouble.has(details)) return "playlist";
  if (type === "mediaError") return details === "bufferStalledError" || details === "bufferNudgeOnStall" ? "sem_resposta" : "codec";
  if (type === "muxError" || type === "keySystemError") return "codec";
  if (type !== "networkError") return "outro";
  if (place.secure && trouble.url?.startsWith("http:")) return "protocolo";
  if (/timeout$/i.test(details)) return "sem_resposta";
  if (trouble.hop) return ofHop(trouble);
  return ofStatus(trouble.status);
}

/**
 * Reports whether an error speaks of the service and not of the stream: the hop
 * answers nothing at all, or with a failure that is not of a playlist. What
 * takes too long may be either, and is the stream's.
 */
export function isOurs({ type, details, hop, status, error }: HlsTrouble): boolean {
  if (type !== "networkError" || !hop || /timeout$/i.test(details)) return false;
  return status === 0 || error === "playlist_config" || (status >= 500 && !error?.startsWith("playlist_"));
}

/** Judges an error of mpegts.js by its type, its detail and the status that came with it. */
export function ofMpegts(type: string, detail: string, status: number): Verdict {
  if (type === "MediaError") return "codec";
  if (type !== "NetworkError") return "outro";
  return detail === "Exception" ? null : (ofStatus(status) ?? "sem_resposta");
}

const dashList = new Set([10, 12, 19, 29, 31, 32, 34]);
const dashLoad = new Set([11, 15, 17, 18, 25, 26, 27, 28]);

/** Judges an error of dash.js by its number and the status that came with it. */
export function ofDash(code: number, status: number): Verdict {
  if (code === 32) return "codec"; // it has streams, but none that plays here
  if (dashList.has(code)) return "playlist";
  if (dashLoad.has(code)) return status === 0 ? null : (ofStatus(status) ?? "sem_resposta");
  if (code === 20 || code === 23 || code === 24 || code === 35 || code >= 100) return "codec";
  return "outro";
}

/** Judges the error of a media element; null when it does not say whether the address or the format is at fault. */
export function ofMedia(code: number | undefined): Verdict {
  if (code === 3) return "codec"; // MEDIA_ERR_DECODE
  if (code === 2) return "sem_resposta"; // MEDIA_ERR_NETWORK
  return code === 4 ? null : "outro"; // MEDIA_ERR_SRC_NOT_SUPPORTED
}

/** Judges an error that the embedded player of the video platform tells. */
export function ofYouTube(code: number): FailureCode {
  if (code === 2 || code === 100) return "sumiu";
  if (code === 5) return "codec";
  return code === 101 || code === 150 || code === 153 ? "protocolo" : "outro"; // it may not be embedded
}

/** Codes that say little of what one could do. */
const vague = new Set<FailureCode>(["outro", "protocolo", "sem_stream"]);

/** Returns the code that tells most of a channel of which all streams failed: that of the best stream, unless it is vague and another is not. */
export function telling(codes: FailureCode[]): FailureCode {
  return codes.find((code) => !vague.has(code)) ?? codes.find((code) => code !== "outro") ?? codes[0] ?? "sem_stream";
}
