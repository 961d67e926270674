/** The health panel of a channel, in the names of the interface. What is not drawn is left out. */

import type { FailureCode } from "../types";

/** How many plays succeeded and failed, as people report. */
export interface Tally {
  plays: number;
  fails: number;
  /** Successes in percent, each network once a day; null until three networks report on one day. The counts do not say it. */
  health: number | null;
}

export interface Region extends Tally {
  /** ISO 3166-1 alpha-2; ZZ is an unknown one. */
  country: string;
}

export interface Environment extends Region {
  browser: string;
  os: string;
  label: string;
}

export interface Reason {
  code: FailureCode;
  label: string;
  hint: string;
  count: number;
  last_at: string | null;
}

export interface Latency {
  country: string;
  samples: number;
  avg_ms: number;
  grade: "otima" | "boa" | "lenta" | "ruim";
  grade_label: string;
}

export interface Panel extends Tally {
  channel_id: string;
  last_ok_at: string | null;
  last_fail_at: string | null;
  reasons: Reason[];
  environments: Environment[];
  your_environment: Environment;
  regions: Region[];
  geo: { tipo: "geo" | "down" | "ok" | "unknown"; label: string };
  latency: Latency[];
  pra_voce: "geo_bloqueado" | "lenta" | "instavel" | "boa" | "sem_dado";
}
