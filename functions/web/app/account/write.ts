/**
 * Requests that only a page of the service may send: those that sign in, and those
 * of a session. Each has the token of bootstrap, which belongs to this browser and
 * its session.
 */

import { ask, Failure } from "../api";

let preparing: Promise<string> | null = null;

/** Returns the token for writes, which is fetched once for each session. */
function prepare(): Promise<string> {
  preparing ??= ask<{ csrf: string }>("GET", "/api/auth/bootstrap", undefined).then((prepared) => prepared.csrf);
  preparing.catch(() => { preparing = null; });
  return preparing;
}

/**
 * Sends a write and returns its answer. The token ends when somebody signs in or
 * out, in this tab or another: then the write is sent once more, with a new one.
 */
export async function write<T>(path: string, body: unknown = {}): Promise<T> {
  const send = async (): Promise<T> => ask<T>("POST", path, body, { "X-CSRF-Token": await prepare() });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "invalid_csrf") throw error;
    preparing = null;
    return send();
  }
}
