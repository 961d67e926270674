/**
 * Passkeys: signing in by one, and adding one to the account. The browser shows its
 * own dialogs; what it reports is turned into sentences here.
 */

import { accountName, Failure, setSignedIn } from "../api";
import { t } from "../texts";
import { claimGuest } from "./claim";
import { write } from "./write";

/** What became of a sign-in. `message` says why it failed; it is empty when the visitor changed their mind. */
export type Result = { ok: true } | { ok: false; message: string };

/** A ceremony that has begun: `options` go to the browser, `challenge` back to the service. */
interface Begun<Options> {
  challenge: string;
  options: Options;
}

/** How long a ceremony may take, in milliseconds. The service gives it two minutes. */
const lifetime = 110_000;

/** Reports whether this browser can use passkeys on this page. Pages whose host is an IP address cannot. */
export async function passkeysWork(): Promise<boolean> {
  return window.isSecureContext && "PublicKeyCredential" in window && "credentials" in navigator && !isAddress(location.hostname);
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^[\d.]+$/.test(host);
}

/** The suggestion that waits in a form. A browser has one request for a passkey at a time. */
let suggesting: AbortController | null = null;

/** Lets the visitor choose a passkey, signs in by it and takes along what this browser kept as a guest. */
export async function signInWithPasskey(): Promise<Result> {
  stopSuggesting();
  try {
    await signIn({});
    return { ok: true };
  } catch (error) {
    return { ok: false, message: sentence(error) };
  }
}

/**
 * Suggests passkeys where the browser completes an e-mail address, as often as the
 * field gets the focus, and calls `done` when the visitor has signed in by one or
 * failed to. The field needs autocomplete="username webauthn". Nothing happens in
 * browsers that cannot do this.
 */
export async function suggestPasskeys(field: HTMLInputElement, done: (result: Result) => void): Promise<void> {
  if (!(await passkeysWork()) || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const suggest = async (): Promise<void> => {
    if (suggesting) return; // it waits already
    const mine = (suggesting = new AbortController());
    const timer = setTimeout(() => mine.abort(tooOld), lifetime);
    let result: Result = { ok: true };
    try {
      await signIn({ mediation: "conditional", signal: mine.signal });
    } catch (error) {
      result = { ok: false, message: sentence(error) };
    }
    clearTimeout(timer);
    if (suggesting === mine) suggesting = null;
    if (mine.signal.aborted) {
      if (mine.signal.reason === tooOld && document.activeElement === field) void suggest();
    } else if (result.ok || result.message) done(result);
  };
  field.addEventListener("focus", () => void suggest());
  if (document.activeElement === field) void suggest();
}

/** The reason for which a suggestion ends and another takes its place. */
const tooOld = "too old";

/** Ends the suggestion that waits, before another request for a passkey. */
function stopSuggesting(): void {
  suggesting?.abort();
  suggesting = null;
}

async function signIn(how: CredentialRequestOptions): Promise<void> {
  const { challenge, options } = await write<Begun<PublicKeyCredentialRequestOptionsJSON>>("/api/auth/passkey/start");
  how.signal?.throwIfAborted();
  const credential = await navigator.credentials.get({ ...how, publicKey: requestOptions(options) });
  await write("/api/auth/passkey/finish", { challenge, response: responseOf(credential) });
  setSignedIn("");
  await claimGuest();
}

/** Adds a passkey to the account, under a name. It rejects with an Error whose message is a sentence; the message is empty when the visitor changed their mind. */
export async function addPasskey(name: string): Promise<void> {
  stopSuggesting();
  try {
    const { challenge, options } = await write<Begun<PublicKeyCredentialCreationOptionsJSON>>("/api/account/passkeys/start");
    const credential = await navigator.credentials.create({ publicKey: creationOptions(options) });
    await write("/api/account/passkeys/finish", { challenge, name, response: responseOf(credential) });
    setSignedIn(accountName() ?? ""); // the session has a new cookie
  } catch (error) {
    throw error instanceof Failure ? error : new Error(sentence(error));
  }
}

/** Says what went wrong; nothing when the visitor changed their mind, or let the time pass. */
function sentence(error: unknown): string {
  if (error instanceof Failure) return error.message;
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "AbortError":
      return "";
    case "InvalidStateError":
      return t("passkey.ui.known");
    case "NotSupportedError":
    case "ConstraintError":
      return t("passkey.ui.unsupported");
    case "SecurityError":
      return t("passkey.ui.address");
  }
  return t("passkey.ui.failed");
}

/* Browsers learned to read and write the JSON forms of options and responses after
   they had passkeys. Where they have not, the binary members are converted here. */

function creationOptions(json: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  if ("parseCreationOptionsFromJSON" in PublicKeyCredential) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  const { extensions: _, ...members } = json;
  return {
    ...members,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map(descriptor),
  } as PublicKeyCredentialCreationOptions;
}

function requestOptions(json: PublicKeyCredentialRequestOptionsJSON): PublicKeyCredentialRequestOptions {
  if ("parseRequestOptionsFromJSON" in PublicKeyCredential) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  const { extensions: _, ...members } = json;
  return {
    ...members,
    challenge: bytes(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map(descriptor),
  } as PublicKeyCredentialRequestOptions;
}

function descriptor(json: PublicKeyCredentialDescriptorJSON): PublicKeyCredentialDescriptor {
  return { ...json, id: bytes(json.id) } as PublicKeyCredentialDescriptor;
}

/** Returns the JSON form of what the browser made, as text. */
function responseOf(credential: Credential | null): string {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException("", "NotAllowedError");
  try {
    if ("toJSON" in credential) return JSON.stringify(credential);
  } catch {
    // Some password managers put objects of their own in its place, which have no JSON form.
  }
  const { response } = credential;
  const members: Record<string, unknown> = { clientDataJSON: text(response.clientDataJSON) };
  if (response instanceof AuthenticatorAttestationResponse) {
    members["attestationObject"] = text(response.attestationObject);
    members["transports"] = response.getTransports?.() ?? [];
  } else if (response instanceof AuthenticatorAssertionResponse) {
    members["authenticatorData"] = text(response.authenticatorData);
    members["signature"] = text(response.signature);
    if (response.userHandle) members["userHandle"] = text(response.userHandle);
  }
  const rawId = text(credential.rawId);
  return JSON.stringify({ id: rawId, rawId, type: credential.type, clientExtensionResults: {}, response: members });
}

/** Reads base64url. */
function bytes(base64url: string): ArrayBuffer {
  const binary = atob(base64url.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(binary, (c) => c.charCodeAt(0)).buffer;
}

/** Writes base64url. */
function text(data: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(data), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
