/** Installing the pages as an app, where the browser offers that. */

import { $ } from "./dom";

/** What the browser offers, as Chromium does. */
interface Offer extends Event {
  prompt(): Promise<unknown>;
}

/** Shows the button that installs, among the preferences, once the browser would: it asks at no other time. */
export function install(): void {
  let offer: Offer | null = null;
  const show = (): void => {
    const button = $("[data-install]");
    if (button) button.hidden = offer === null;
  };
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // else a bar of the browser covers the page
    offer = event as Offer;
    show();
  });
  addEventListener("appinstalled", () => {
    offer = null;
    show();
  });
  $("[data-install]")?.addEventListener("click", () => {
    const taken = offer;
    offer = null; // it may be asked once
    show();
    $<HTMLElement>("#prefs > summary")?.focus();
    $("#prefs")?.removeAttribute("open");
    void taken?.prompt().catch(() => { /* It was taken back. */ });
  });
}
