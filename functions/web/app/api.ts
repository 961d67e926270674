/**
 * Calling the API as the owner that this browser is: an account when somebody has
 * signed in, or else a guest.
 *
 * The session of an account is a cookie that scripts cannot read, and most visitors
 * have none, so pages do not ask the service for it. Signing in leaves a mark in the
 * storage of the browser instead, which is no credential. With the mark, calls carry no
 * guest token, and writes carry the token that GET /api/auth/bootstrap returns. A call
 * that finds the session ended says so, and never goes on as the guest by itself. The
 * token of the guest stays where it is: who signs out is the same guest as before.
 */

import { dialog, h, toast } from "./dom";
import { locale, t } from "./texts";

const tokenKey = "mm-guest";
const accountKey = "mm-account";

/** An answer that tells of a failure, with its code and its sentence for people. */
export class Failure extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly body: Record<string, unknown> = {}) {
    super(message);
  }
}

/** The guest and the account of a browser that stores nothing, for as long as the page. */
let unkept: string | null = null, unkeptAccount: string | null = null;

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

/** Forgets a guest token, unless another has taken its place. */
export function dropToken(stale: string): void {
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

/** Returns the name of the account that is signed in here; null for a guest. It may be empty. */
export function accountName(): string | null {
  try {
    return localStorage.getItem(accountKey) ?? unkeptAccount;
  } catch {
    return unkeptAccount;
  }
}

/** Reports whether an account is signed in here, as far as this browser knows. */
export function signedIn(): boolean {
  return accountName() !== null;
}

/** Reports whether this browser is an account or a guest, and may own something. */
export function isOwner(): boolean {
  return signedIn() || token() !== null;
}

/** Notes that an account was signed in, by its name, or with null that it was signed out. The document gets the event "account". */
export function setSignedIn(name: string | null): void {
  unkeptAccount = name;
  preparing = null;
  try {
    if (name === null) localStorage.removeItem(accountKey);
    else localStorage.setItem(accountKey, name);
  } catch {
    // It lasts as long as the page.
  }
  document.dispatchEvent(new CustomEvent("account"));
}

addEventListener("storage", (event) => { // another tab has signed in or out
  if (event.key !== accountKey) return;
  unkeptAccount = preparing = null;
  document.dispatchEvent(new CustomEvent("account"));
});

let preparing: Promise<string> | null = null;

/** Returns the token that writes of a session carry in X-CSRF-Token. It is fetched once for each session. */
export function csrf(): Promise<string> {
  if (!preparing) {
    const mine = preparing = ask<{ csrf: string }>("GET", "/api/auth/bootstrap", undefined).then((prepared) => prepared.csrf);
    mine.catch(() => { if (preparing === mine) preparing = null; });
  }
  return preparing;
}

/**
 * Calls with the token of bootstrap. That ends when somebody signs in or out, also in
 * another tab: then the call is sent once more, with a new one.
 */
export async function callFromPage<T>(method: string, path: string, body?: unknown, further: Record<string, string> = {}): Promise<T> {
  const mine = csrf();
  try {
    return await ask<T>(method, path, body, { ...further, "X-CSRF-Token": await mine, ...organizationHeader(path) });
  } catch (error) {
    if (codeOf(error) !== "invalid_csrf") throw error;
    if (preparing === mine) preparing = null;
    return ask<T>(method, path, body, { ...further, "X-CSRF-Token": await csrf(), ...organizationHeader(path) });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Failure ? error.code : "";
}

/** An organization as which a page calls. `reads` says that the account may not change what it has. */
export interface Acting {
  id: string;
  reads: boolean;
}

/** The pages that may call as an organization. */
const ofOwners = ["library", "favorites", "history"];
const actingKey = "mm-organization";

/** Returns the organization as which this page calls; null for the account itself. It is kept for the tab. */
export function acting(): Acting | null {
  if (!signedIn() || !ofOwners.includes(document.body.dataset["page"] ?? "")) return null;
  try {
    const [id, role] = (sessionStorage.getItem(actingKey) ?? "").split(" ");
    return id && /^o_[a-z2-7]+$/.test(id) ? { id, reads: role === "reads" } : null;
  } catch {
    return null;
  }
}

/** Makes the calls of the pages of owners those of an organization, or with null of the account itself. The document gets the event "account". */
export function actAs(organization: Acting | null): void {
  try {
    if (organization) sessionStorage.setItem(actingKey, `${organization.id} ${organization.reads ? "reads" : "changes"}`);
    else sessionStorage.removeItem(actingKey);
  } catch {
    // A browser that stores nothing shows what the account has.
  }
  document.dispatchEvent(new CustomEvent("account"));
}

/** The header that names the organization as which an account calls. The account itself signs in and lists its organizations. */
const organizationHeader = (path: string): Record<string, string> => {
  const organization = /^\/api\/(auth|account)\//.test(path) ? null : acting();
  return organization ? { "X-Organization": organization.id } : {};
};

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

/** Reads what everyone may read, as the owner that this browser is, if it is one. */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>("GET", path, undefined, signedIn() ? organizationHeader(path) : guestHeader(token()), signal);
}

/**
 * Calls as the owner that this browser is, with a body that is sent as JSON, or as it
 * is when it is a Blob, and with further headers, such as those of a payment. A browser
 * that is neither an account nor a guest becomes a guest. It rejects with a Failure.
 */
export async function call<T>(method: string, path: string, body?: unknown, further: Record<string, string> = {}): Promise<T> {
  const account = signedIn();
  try {
    return await (account ? callAsAccount<T>(method, path, body, further) : callAsGuest<T>(method, path, body, further));
  } catch (error) {
    const code = codeOf(error);
    if (!account && code === "invalid_csrf") { // there is a session without its mark, such as one from a page that ran no script
      setSignedIn("");
      return call(method, path, body, further);
    }
    if (code === "session_ended" || (account && code === "invalid_session")) showEnded();
    throw error;
  }
}

function callAsAccount<T>(method: string, path: string, body: unknown, further: Record<string, string>): Promise<T> {
  if (method !== "GET") return callFromPage(method, path, body, further);
  void csrf().catch(() => {}); // a page that shows what the account has may write soon, and while it ends
  return ask<T>(method, path, body, { ...further, ...organizationHeader(path) });
}

/**
 * Calls as the guest of this browser. A token that the service does not accept is
 * replaced once by that of a new guest, and the visitor is told: what the old guest had
 * is not there. No other failure replaces a token.
 */
async function callAsGuest<T>(method: string, path: string, body: unknown, further: Record<string, string>): Promise<T> {
  const as = await guest();
  try {
    return await ask<T>(method, path, body, { ...further, ...guestHeader(as) });
  } catch (error) {
    if (codeOf(error) !== "invalid_session") throw error;
    return ask<T>(method, path, body, { ...further, ...guestHeader(await replaceGuest(as)) });
  }
}

/** Makes a new guest in place of one whose token the service does not accept, tells the visitor, and returns the new token. */
export function replaceGuest(stale: string): Promise<string> {
  if (token() === stale) toast(t("layout.ui.new_guest"));
  dropToken(stale);
  return guest();
}

let ended: HTMLDialogElement | null = null;

/**
 * Says that the session has ended, and asks whether to sign in again or to go on as a
 * guest. Going on removes the cookie first, without which the service refuses every
 * call. Until then calls keep failing.
 */
function showEnded(): void {
  if (ended) return;
  const wrong = h("p", { class: "wrong", role: "alert" });
  const signIn = h("a", { class: "button primary", href: document.body.dataset["signIn"] ?? "/" }, t("layout.ui.ended_sign_in"));
  const asGuest = h("button", { class: "button", type: "button", click: () => {
    signOut().then(() => location.reload(), (error: Failure) => { wrong.textContent = error.message; });
  } }, t("layout.ui.ended_guest"));
  ended = dialog(t("layout.ui.ended"), h("p", {}, t("layout.ui.ended_text")), h("div", { class: "row" }, signIn, asGuest), wrong);
  ended.addEventListener("close", () => { ended = null; });
  signIn.focus();
}

/** Ends the session of this browser, which then is the guest that it was before. */
export async function signOut(): Promise<void> {
  await callFromPage("POST", "/api/auth/logout", {});
  setSignedIn(null);
}

/** Sends something as the owner that this browser is, also while the page ends. Whether it arrives is not known. */
export function tell(path: string): void {
  const send = (headers: Record<string, string>): void => {
    fetch(path, { method: "POST", headers, credentials: "same-origin", keepalive: true }).catch(() => {});
  };
  const as = token();
  if (signedIn()) void csrf().then((csrf) => send({ "X-CSRF-Token": csrf, ...organizationHeader(path) }), () => {});
  else if (as) send(guestHeader(as));
}
