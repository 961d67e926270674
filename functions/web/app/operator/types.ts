/** The records of the operator's endpoints. What the page does not read is left out. */

import type { Refusal } from "./view";

export interface Health {
  catalog: { synced_at: string | null; age_hours: number | null; stale: boolean; problem?: string };
  sources: Record<string, Source>;
  database: boolean;
  behind: string[];
}

export interface Source {
  fetched_at: string | null;
  itens: number;
  stale: boolean;
  ausente: boolean;
  kept: boolean;
  problem?: string;
}

export interface Release {
  version: string;
  published_at: string;
  channels: number;
  stations: number;
  streams: number;
  playable: number;
}

export interface Catalog {
  shown: { version: string; loaded_at: string; problem?: string };
  held: boolean;
  synced_at: string | null;
  refusals: Refusal[];
  releases: Release[];
  blocks: number;
}

export interface Run {
  started_at: string;
  seconds: number;
  ok: boolean;
  error?: string;
}

export interface Job {
  name: string;
  every_seconds: number;
  running: { since: string; where: string } | null;
  cut_off: { since: string; where: string } | null;
  last: Run | null;
  due_at: string | null;
  clock_ahead: boolean;
}

export interface Report extends Run {
  number?: number;
  result: unknown;
}

export interface Letter {
  id: string;
  topic: string;
  at: string;
  body: string;
  problem: string;
}

export interface DeadLetter {
  id: string;
  at: string;
  body: string;
  failure: string | null;
  rejected: boolean;
}

export interface Queue {
  topic: string;
  subscription: string;
  waiting: number | null;
  failed: number | null;
  oldest_at: string | null;
  dead: DeadLetter[];
  more: boolean;
  problem: string;
}

export interface EventAct {
  act: string;
  topic: string;
  event: string;
  reason: string;
  by: string;
  at: string;
  body: string | null;
}

export interface Undelivered {
  alert: { raised: boolean; waiting: number; oldest_seconds: number; dead: number };
  waiting: number;
  letters: Letter[];
  queues: Queue[];
  acts: EventAct[];
}

export interface Items<T> {
  items: T[];
  total: number;
}
