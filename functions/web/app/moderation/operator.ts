/** Reading what was reported, and acting on it, as the operator. */

import type { Session } from "../operator/session";
import type { Page } from "../types";

export type Kind = "comment" | "message" | "library";

/** Names a text. */
export interface Text {
  kind: Kind;
  channel_id: string;
  id: string;
}

/** A text with the reports of it. */
export interface Reported extends Text {
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
  network: string | null;
  author: string | null;
  body: string | null;
  until: string | null;
  reason: string;
  by: string;
  at: string;
  bulk: Progress | null;
  takedown: number | null;
}

/** How far an act on many texts is. */
export interface Progress {
  done: boolean;
  comments: number;
  messages: number;
  undone_by: string | null;
}

/** An act on many texts. */
export interface BulkAct extends Progress {
  id: string;
}

/** What an act on many texts would remove. */
export interface Preview {
  owner: string | null;
  network: string | null;
  comments: number;
  messages: number;
  more: boolean;
  examples: { kind: Kind; author: string; body: string }[];
}

/** An author or a network. */
export type Sender = { owner: string } | { network: string };

/** An act to do, but for the name of the operator. */
export interface Order {
  act: string;
  kind?: Kind;
  channel_id?: string;
  id?: string;
  owner?: string;
  network?: string;
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

  /** Counts what the author or the network of a text wrote. */
  preview(text: Text & { of: "author" | "network" }): Promise<Preview> {
    return this.session.call("POST", `${path}/preview`, text);
  }

  /** Begins to remove everything of a sender. */
  removeAll(sender: Sender, reason: string): Promise<BulkAct> {
    return this.session.call("POST", `${path}/bulk`, { ...sender, reason, by: this.name });
  }

  /** Continues an act on many texts that is not done. */
  carryOn(id: string): Promise<BulkAct> {
    return this.session.call("POST", `${path}/bulk/${encodeURIComponent(id)}`);
  }

  /** Begins to restore what an act removed. */
  undo(id: string, reason: string): Promise<BulkAct> {
    return this.session.call("POST", `${path}/bulk/${encodeURIComponent(id)}/undo`, { reason, by: this.name });
  }
}
