/** Asking the API as the guest that this browser is. */

import { locale, t } from "./texts";

const tokenKey = "mm-guest";

/** An answer that tells of a failure, with its code and its sentence for people. */
export class Failure extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly body: Record<string, unknown> = {}) {
    super(message);
  }
}

/** Returns the token of this browser's guest, or null before there is one. */
export function token(): string | null {
  try {
    return localStorage.getItem(tokenKey);
  } catch {
    return null;
  }
}

let becoming: Promise<string> | null = null;

/** Returns the token of this browser's guest, who comes to be at the first call. Calls at once share one. */
export function guest(): Promise<string> {
  const known = token();
  if (known) return Promise.resolve(known);
  becoming ??= ask<{ token: string }>("POST", "/api/guest", undefined, null)
    .then(({ token }) => {
      try {
        localStorage.setItem(tokenKey, token);
      } catch {
        // A browser that keeps nothing is a guest for as long as the page.
      }
      return token;
    })
    .finally(() => { becoming = null; });
  return becoming;
}

async function ask<T>(method: string, path: string, body: unknown, as: string | null, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json", "Accept-Language": locale };
  if (as) headers["X-Guest-Token"] = as;
  const content = body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body);
  if (content !== null) headers["Content-Type"] = content instanceof Blob ? content.type : "application/json";
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: content, credentials: "same-origin", signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, "offline", t("layout.ui.offline"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(response.status, answer.error ?? "internal", answer.message ?? t("layout.ui.failed"), answer);
  return answer as T;
}

/** Reads what everyone may; a guest, when there is one, is told what is theirs. */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>("GET", path, undefined, token(), signal);
}

/**
 * Calls as the guest of this browser, who comes to be when there is none, with
 * a body that is sent as JSON; a Blob as what it is. A token that is good no
 * more is replaced once by a new guest's, for calls that need nothing of the old
 * one.
 */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  try {
    return await ask<T>(method, path, body, await guest());
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 401) throw error;
    localStorage.removeItem(tokenKey);
    return ask<T>(method, path, body, await guest());
  }
}

/** Tells the service something as the guest of this browser, also while the page ends. Whether it arrives is not known. */
export function tell(path: string): void {
  const as = token();
  if (as) fetch(path, { method: "POST", headers: { "X-Guest-Token": as }, credentials: "same-origin", keepalive: true }).catch(() => {});
}
