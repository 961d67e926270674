/** Reading what was reported, and acting on it, as the operator. */

import type { Session } from "../operator/session";
import type { Page } from "../types";

export type Kind = "comment" | "message";

/** A text with the reports of it. */
export interface Reported {
  kind: Kind;
  channel_id: string;
  id: string;
  author: string;
  author_key: string;
  owner: string;
  body: string;
  written_at: string;
  reports: number;
  reasons: { reason: string; reports: number }[];
  last_at: string;
}

/** An act in the log. */
export interface Entry {
  id: string;
  act: string;
  channel_id: string | null;
  author_key: string | null;
  author: string | null;
  body: string | null;
  until: string | null;
  reason: string;
  by: string;
  at: string;
}

/** An act to do, but for the name of the operator. */
export interface Order {
  act: string;
  kind?: Kind;
  channel_id?: string;
  id?: string;
  owner?: string;
  hours?: number;
  reason: string;
}

const path = "/api/admin/moderation";

/** The calls of moderation, as the operator of a session. */
export class Operator {
  constructor(private readonly session: Session) {}

  get name(): string {
    return this.session.name;
  }

  reports(offset: number): Promise<Page<Reported>> {
    return this.session.call("GET", `${path}/reports?offset=${offset}`);
  }

  log(offset: number): Promise<Page<Entry>> {
    return this.session.call("GET", `${path}/acts?offset=${offset}`);
  }

  /** Does an act, and reports whether that changed something. */
  async act(order: Order): Promise<boolean> {
    const { changed } = await this.session.call<{ changed: boolean }>("POST", `${path}/acts`, { ...order, by: this.name });
    return changed;
  }
}
