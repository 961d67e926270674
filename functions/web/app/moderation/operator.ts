/**
 * Calling the API as the operator. The token and the name of the operator are kept in
 * the storage of this tab alone, and sent with no other request.
 */

import { ask } from "../api";
import type { Page } from "../types";

const tokenKey = "mm-operator";
const nameKey = "mm-operator-name";

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

export class Operator {
  private constructor(private readonly token: string, readonly name: string) {}

  /** Returns the operator of this tab, or null before there is one. */
  static kept(): Operator | null {
    try {
      const token = sessionStorage.getItem(tokenKey), name = sessionStorage.getItem(nameKey);
      return token && name ? new Operator(token, name) : null;
    } catch {
      return null;
    }
  }

  /** Returns an operator whose token the service accepts, and keeps it. It rejects with a Failure. */
  static async enter(token: string, name: string): Promise<Operator> {
    const operator = new Operator(token, name);
    await operator.reports(0);
    try {
      sessionStorage.setItem(tokenKey, token);
      sessionStorage.setItem(nameKey, name);
    } catch {
      // It is asked for again on the next visit.
    }
    return operator;
  }

  /** Forgets the operator of this tab. */
  static leave(): void {
    try {
      sessionStorage.removeItem(tokenKey);
      sessionStorage.removeItem(nameKey);
    } catch {
      // Nothing was kept.
    }
  }

  reports(offset: number): Promise<Page<Reported>> {
    return this.call("GET", `/reports?offset=${offset}`);
  }

  log(offset: number): Promise<Page<Entry>> {
    return this.call("GET", `/acts?offset=${offset}`);
  }

  /** Does an act, and reports whether that changed something. */
  async act(order: Order): Promise<boolean> {
    const { changed } = await this.call<{ changed: boolean }>("POST", "/acts", { ...order, by: this.name });
    return changed;
  }

  private call<T>(method: string, rest: string, body?: unknown): Promise<T> {
    return ask<T>(method, path + rest, body, { Authorization: ["Bearer", this.token].join(" ") });
  }
}
