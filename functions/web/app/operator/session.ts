/**
 * Calling the API as the operator. The tokens and the name of the operator are kept in
 * the storage of this tab alone: they are in no address, in no cache, and in no request
 * but those to the operator's endpoints.
 */

import { ask, Failure } from "../api";

const keys = { token: "mm-operator", name: "mm-operator-name", metrics: "mm-operator-metrics" } as const;

export class Session {
  private constructor(private readonly token: string, readonly name: string, private readonly metrics: string) {}

  /** Returns the session of this tab, or null before the operator has signed in. */
  static kept(): Session | null {
    try {
      const token = sessionStorage.getItem(keys.token), name = sessionStorage.getItem(keys.name);
      return token && name ? new Session(token, name, sessionStorage.getItem(keys.metrics) ?? "") : null;
    } catch {
      return null;
    }
  }

  /** Returns a session whose token the service accepts, and keeps it. Without a token of the numbers they are not shown. It rejects with a Failure. */
  static async enter(token: string, name: string, metrics = ""): Promise<Session> {
    const session = new Session(token, name, metrics);
    await session.call("GET", "/api/admin/moderation/reports?limit=1");
    if (metrics) await session.measured("/api/vitrine/operador").catch(ofMetrics);
    try {
      sessionStorage.setItem(keys.token, token);
      sessionStorage.setItem(keys.name, name);
      if (metrics) sessionStorage.setItem(keys.metrics, metrics);
    } catch {
      // It is asked for again on the next visit.
    }
    return session;
  }

  /** Forgets the session of this tab. */
  static leave(): void {
    try {
      for (const key of Object.values(keys)) sessionStorage.removeItem(key);
    } catch {
      // Nothing was kept.
    }
  }

  /** Calls an endpoint of the operator. It rejects with a Failure. */
  call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return ask<T>(method, path, body, bearer(this.token));
  }

  /** Reads what the token of the numbers opens; null without that token, and where the service measures nothing yet. */
  async measured<T>(path: string): Promise<T | null> {
    if (!this.metrics) return null;
    try {
      return await ask<T>("GET", path, undefined, bearer(this.metrics));
    } catch (error) {
      if (error instanceof Failure && error.status === 404) return null;
      throw error;
    }
  }
}

/** The code of a failure that the token of the numbers is the reason of. */
export const wrongMetrics = "wrong_metrics";

/** Rejects with a failure that is told from one of the operator's token. */
function ofMetrics(error: unknown): never {
  throw error instanceof Failure ? new Failure(error.status, wrongMetrics, error.message, error.body) : error;
}

const bearer = (token: string): Record<string, string> => ({ Authorization: ["Bearer", token].join(" ") });
