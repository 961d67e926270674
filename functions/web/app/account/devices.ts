/**
 * The two pages of a device link. Their forms work without a script; with one, each
 * page follows the other device by itself, also when the form was sent before the
 * script was there.
 */

import { $ } from "../dom";
import { follow, openDeviceLink, showDeviceLink, takeDeviceSecret, waitUntilIn } from "./device";

/** Makes the page at hand follow the other device. */
export function devices(): void {
  const box = $("#device-link");
  if (!box) return;
  $("#make")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void first(box);
  });
  const { next, link } = box.dataset;
  if (!next) {
    if (link) void follow(box, link);
    return;
  }
  if (link) void waitUntilIn(box, link).then((isIn) => isIn && location.replace(next));
  const secret = takeDeviceSecret();
  if (secret) void second(box, secret, next);
  $<HTMLFormElement>("#claim")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = $<HTMLInputElement>("#code")!.value.trim();
    if (code) void second(box, code, next);
  });
}

/** Shows the codes until another device is in or they are over; then the button that makes others is there again. */
async function first(box: HTMLElement): Promise<void> {
  const start = [...box.childNodes];
  await showDeviceLink(box);
  box.append(...start);
}

/** Signs this device in by a secret. When that fails the form to type a code is there again. */
async function second(box: HTMLElement, secret: string, next: string): Promise<void> {
  const start = [...box.childNodes];
  if (await openDeviceLink(box, secret)) location.replace(next);
  else box.append(...start);
}
