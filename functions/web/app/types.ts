/**
 * The records of the API that the pages use, in the names of the interface.
 * What the pages do not read is left out.
 */

export interface MeasuredHealth {
  score: number | null;
  online: boolean;
  checked_at: string | null;
}

export interface Social {
  plays: number;
  fails: number;
  favorites: number;
  comments: number;
  health: number | null;
  your_geo_ok: boolean | null;
  your_latency_ms: number | null;
  your_latency_grade: string | null;
}

export interface Channel {
  id: string;
  name: string;
  country: string | null;
  category_labels: string[];
  language_labels: string[];
  logo_url: string | null;
  website: string | null;
  playable_hint?: boolean;
  quality?: string;
  has_guide: boolean;
  kind: "tv" | "radio";
  health_ext: MeasuredHealth | null;
  social?: Social;
}

export interface StreamHealth {
  status: "online" | "offline" | "blocked" | "timeout" | "error" | "unknown";
  score: number | null;
  checked_at: string | null;
  resolution: string | null;
  bitrate: number | null;
  latency_ms: number | null;
}

export interface YouTube {
  video?: string;
  channel?: string;
  embed: string;
  assistir: string;
}

export type StreamKind = "hls" | "dash" | "ts" | "flv" | "audio" | "youtube" | "externo";

/** One way to play a channel. `url` is its address at the hop, and `play_url` the one that players open. */
export interface Stream {
  id: string;
  provider_url: string | null;
  legacy_url: string | null;
  feed: string | null;
  title: string | null;
  url: string;
  play_url: string | null;
  quality: string | null;
  needs_headers: boolean;
  label: string | null;
  scheme: string;
  kind: StreamKind;
  youtube?: YouTube;
  playable_hint: boolean;
  health_ext: StreamHealth | null;
}

export interface Programme {
  inicio: string;
  fim: string;
  titulo: string;
  desc?: string;
  categoria?: string;
}

export interface GuideNow {
  day: string;
  site: string | null;
  agora: Programme | null;
  a_seguir: Programme | null;
}

/** The detail record: streams come best first for the one who asks. */
export interface ChannelFull extends Channel {
  /** What stands on the plate in place of a logo, and how large. The page has it, and the API has not. */
  letters?: string;
  size?: string;
  guide_now?: GuideNow | null;
  /** Of a station. */
  radio?: { genres: { id: string; name: string }[] };
  streams: Stream[];
}

/** Why a play failed, by the codes of the interface. */
export type FailureCode = "cors" | "geo" | "sumiu" | "codec" | "playlist" | "sem_resposta" | "protocolo" | "sem_stream" | "outro";

/** A page of a list. */
/** A channel that the catalog does not show, as the API has it. */
export interface Gone {
  channel_id: string;
  name: string | null;
  country: string | null;
  kind: "tv" | "radio";
  reason: "closed" | "blocked" | "vanished";
  since: string | null;
  replaced_by: string | null;
}

export interface Page<T> {
  items: T[];
  total: number;
  limit: number;
  offset: number;
  next_offset: number | null;
  /** The address of the next page. */
  next: string | null;
  /** On the first page of favorites and of history, when there are any. */
  gone?: Gone[];
}
