/** Asking the API as the guest that this browser is. */

import { toast } from "./dom";
import { locale, t } from "./texts";

const tokenKey = "mm-guest";

/** An answer that tells of a failure, with its code and its sentence for people. */
export class Failure extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly body: Record<string, unknown> = {}) {
    super(message);
  }
}

/** The guest of a browser that keeps nothing, for as long as the page. */
let unkept: string | null = null;

/** Returns the token of this browser's guest, or null before there is one. */
export function token(): string | null {
  try {
    const kept = localStorage.getItem(tokenKey);
    if (kept && /^[ -~]+$/.test(kept)) return kept; // nothing else can be sent
  } catch {
    // What was not kept is at hand.
  }
  return unkept;
}

function keepToken(token: string): void {
  unkept = token;
  try {
    localStorage.setItem(tokenKey, token);
    unkept = null;
  } catch {
    // It is full, or the browser keeps nothing.
  }
}

/** Forgets a token that is good no more, unless another has taken its place. */
function dropToken(stale: string): void {
  if (token() !== stale) return;
  unkept = null;
  try {
    localStorage.removeItem(tokenKey);
  } catch {
    // There is none.
  }
}

let becoming: Promise<string> | null = null;

/** Returns the token of this browser's guest, who comes to be at the first call. Calls at once share one. */
export function guest(): Promise<string> {
  const known = token();
  if (known) return Promise.resolve(known);
  becoming ??= ask<{ token: string }>("POST", "/api/guest", undefined)
    .then((made) => {
      const other = token(); // another tab may have been quicker: who has kept something is to stay
      if (other) return other;
      keepToken(made.token);
      return made.token;
    })
    .finally(() => { becoming = null; });
  return becoming;
}

/** The header that identifies a guest. */
const guestHeader = (as: string | null): Record<string, string> => (as ? { "X-Guest-Token": as } : {});

/** Sends a request with further headers, and returns the JSON of the answer. It rejects with a Failure. */
export async function ask<T>(method: string, path: string, body: unknown, further: Record<string, string> = {}, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json", "Accept-Language": locale, ...further };
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
  return ask<T>("GET", path, undefined, guestHeader(token()), signal);
}

/**
 * Calls as the guest of this browser, who comes to be when there is none, with
 * a body that is sent as JSON; a Blob as what it is. A token that nobody was
 * given is replaced once by a new guest's, which is told: whatever the old one
 * had kept is not there. Other refusals say nothing against the guest.
 */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const as = await guest();
  try {
    return await ask<T>(method, path, body, guestHeader(as));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "invalid_session") throw error;
    if (token() === as) toast(t("layout.ui.new_guest"));
    dropToken(as);
    return ask<T>(method, path, body, guestHeader(await guest()));
  }
}

/** Tells the service something as the guest of this browser, also while the page ends. Whether it arrives is not known. */
export function tell(path: string): void {
  const as = token();
  if (as) fetch(path, { method: "POST", headers: { "X-Guest-Token": as }, credentials: "same-origin", keepalive: true }).catch(() => {});
}
