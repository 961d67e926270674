/**
 * Requests that only a page of the service may send: those that sign in, and those
 * of a session.
 */

import { callFromPage } from "../api";

/** Sends a write and returns its answer. */
export function write<T>(path: string, body: unknown = {}): Promise<T> {
  return callFromPage<T>("POST", path, body);
}
