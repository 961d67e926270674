/**
 * Signing in another device by a QR code. The first device shows the code and
 * confirms; the second opens the address in it. Both ask the service every two
 * seconds how far the other is, for as long as the link lasts.
 */

import { ask, Failure, setSignedIn } from "../api";
import { h } from "../dom";
import { qr } from "../own/qr";
import { country, t } from "../texts";
import { claimGuest } from "./claim";
import { write } from "./write";

/** A new link, as the first device gets it. */
interface Link {
  id: string;
  url: string;
  code: string;
  expiresAt: string;
}

/** How far a link is, as the first device sees it. */
interface Progress {
  state: "waiting" | "claimed" | "confirmed" | "denied" | "opened";
  device: { browser: string; os: string; country: string };
  digits: string;
  expiresAt: string;
}

const every = 2000; // milliseconds between two questions; the service refuses more

/** Waits until it is time to ask again. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, every));

/**
 * Shows a new link in a box of the first device, follows it, and lets the visitor
 * confirm or deny the device that opens it. It resolves when the link is over, and
 * whether the device is in.
 */
export async function showDeviceLink(box: HTMLElement): Promise<boolean> {
  try {
    const link = await write<Link>("/api/account/devices/link");
    box.replaceChildren(
      h("p", {}, t("devicelink.ui.scan")),
      h("div", { class: "qr-plate" }, await qr(link.url, t("devicelink.ui.code_label"))),
      h("p", {}, t("devicelink.ui.type", { address: link.url.replace(/#.*/, "") })),
      h("p", { class: "device-code" }, `${link.code.slice(0, 4)}-${link.code.slice(4)}`));
    return await follow(box, link.id);
  } catch (error) {
    return over(box, sentence(error));
  }
}

/**
 * Follows a link of which a box of the first device shows the codes. It resolves when
 * the link is over, and whether the device is in.
 */
export async function follow(box: HTMLElement, id: string): Promise<boolean> {
  try {
    const claimed = await progress(id, ["waiting"]);
    if (!claimed) return over(box, t("devicelink.ui.expired"));
    if (!(await decide(box, id, claimed))) return over(box, t("devicelink.ui.denied"));
    const last = await progress(id, ["claimed", "confirmed"]);
    return last?.state === "opened" ? (over(box, t("devicelink.ui.in")), true) : over(box, t("devicelink.ui.expired"));
  } catch (error) {
    return over(box, sentence(error));
  }
}

/** Ends with a message in place of what was shown. */
function over(box: HTMLElement, message: string): false {
  box.replaceChildren(h("p", { role: "status" }, message));
  return false;
}

/** Asks until a link has left some states, and returns how far it is then; null when it is over. */
async function progress(id: string, states: Progress["state"][]): Promise<Progress | null> {
  for (;;) {
    await pause();
    try {
      const now = await ask<Progress>("GET", `/api/account/devices/link/${id}`, undefined);
      if (!states.includes(now.state)) return now;
    } catch (error) {
      if (!passing(error)) return null;
    }
  }
}

/** Reports whether a failure is of the network or of the pace, so that asking again may help. */
function passing(error: unknown): boolean {
  return error instanceof Failure && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Asks the visitor whether the device with some digits may come in, and sends the decision. */
async function decide(box: HTMLElement, id: string, claimed: Progress): Promise<boolean> {
  const { device, digits } = claimed;
  const name = [device.browser, device.os].filter(Boolean).join(", ") || t("devicelink.ui.unknown_device");
  const place = device.country ? country(device.country) : t("devicelink.ui.unknown_place");
  const yes = await new Promise<boolean>((resolve) => {
    const allow = h("button", { type: "button", class: "button primary", click: () => resolve(true) }, t("devicelink.ui.confirm"));
    box.replaceChildren(
      h("p", { role: "status" }, t("devicelink.ui.wants", { device: name, place })),
      h("p", {}, t("devicelink.ui.compare")),
      h("p", { class: "device-code" }, digits),
      h("div", { class: "row" }, allow, h("button", { type: "button", class: "button", click: () => resolve(false) }, t("devicelink.ui.deny"))));
    allow.focus();
  });
  await write(yes ? "/api/account/devices/confirm" : "/api/account/devices/deny", { id });
  if (yes) over(box, t("devicelink.ui.confirmed"));
  return yes;
}

/**
 * Returns the secret that the address of this page brought along, or "". It is
 * removed from the address, so that neither the history nor a reload shows it.
 */
export function takeDeviceSecret(): string {
  const secret = location.hash.slice(1);
  if (secret) history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/**
 * Goes on with a link on the second device, by the secret of its address, once the
 * visitor has agreed, or by the code that the visitor typed: shows the digits, waits for
 * the first device, and resolves when this browser is signed in and has taken along what
 * it kept as a guest. It resolves to false when the link is over; the box says why.
 */
export async function openDeviceLink(box: HTMLElement, secret: string): Promise<boolean> {
  if (secret.length > typedAtMost) await accepted(box);
  try {
    const { id, digits } = await write<{ id: string; digits: string }>("/api/auth/device/claim", { secret });
    box.replaceChildren(
      h("p", { role: "status" }, t("devicelink.ui.look")),
      h("p", { class: "device-code" }, digits),
      h("p", {}, t("devicelink.ui.wait")));
    return await waitUntilIn(box, id);
  } catch (error) {
    return over(box, sentence(error));
  }
}

/**
 * Waits until the first device lets this one in, by a link of which a box shows the
 * digits. It resolves as openDeviceLink does.
 */
export async function waitUntilIn(box: HTMLElement, id: string): Promise<boolean> {
  try {
    while (!(await opened(id))) await pause();
    setSignedIn("");
    await claimGuest();
    return true;
  } catch (error) {
    return over(box, sentence(error));
  }
}

/** The most characters of a code that was typed. The secret of an address is longer. */
const typedAtMost = 16;

/**
 * Asks the visitor whether to go on, and resolves when the answer is yes. An address
 * may come from anybody: without the question, a page of somebody else could lead here,
 * sign this browser in to an account of its owner, and receive what the browser keeps.
 */
function accepted(box: HTMLElement): Promise<void> {
  return new Promise((resolve) => {
    const go = h("button", { type: "button", class: "button primary", click: () => resolve() }, t("devicelink.ui.go_on"));
    box.replaceChildren(h("p", { role: "status" }, t("devicelink.ui.offer")), h("p", {}, t("devicelink.ui.offer_warning")), h("div", { class: "row" }, go));
    go.focus();
  });
}

/** Reports whether the first device has confirmed and this browser has its session. */
async function opened(id: string): Promise<boolean> {
  try {
    const { state } = await write<{ state: string }>("/api/auth/device/finish", { id });
    return state === "opened";
  } catch (error) {
    if (!passing(error)) throw error;
    return false;
  }
}

function sentence(error: unknown): string {
  return error instanceof Failure ? error.message : t("layout.ui.failed");
}
