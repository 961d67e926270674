/** The button that leads to what is near: it asks the browser where the visitor is, and only when it is pressed. */

import { $ } from "./dom";
import { t } from "./texts";

const patience = 15_000; // ms
const recent = 600_000; // ms for which an earlier answer of the browser will do
const coarse = 100; // parts of a degree to which the place is rounded: about a kilometre
const denied = 1; // code of the browser's error
const again = "#locate"; // of an address: the visitor is to press once more

interface Policed extends Document {
  featurePolicy?: { allowsFeature(name: string): boolean };
}

/** Asks for the place, and follows a link to the list of what is near it. */
export function locate(button: HTMLElement): void {
  const box = button.closest<HTMLElement>("[data-locate]");
  const said = box && $(".locate-said", box);
  if (!box || !said || box.hasAttribute("aria-busy")) return;
  if ((document as Policed).featurePolicy?.allowsFeature("geolocation") === false) {
    // This page took the place of another one, which may not ask. Loaded by itself it may.
    location.hash = again;
    return location.reload();
  }
  const end = (text: string): void => {
    box.removeAttribute("aria-busy");
    said.textContent = text;
  };
  if (!("geolocation" in navigator)) return end(t("near.ui.failed"));
  box.setAttribute("aria-busy", "true");
  said.textContent = t("near.ui.wait");
  navigator.geolocation.getCurrentPosition(({ coords }) => {
    end("");
    const place = [coords.latitude, coords.longitude].map((degrees) => Math.round(degrees * coarse) / coarse).join(",");
    follow(`${box.dataset["locate"]}?near=${encodeURIComponent(place)}`);
  }, (error) => end(t(error.code === denied ? "near.ui.denied" : "near.ui.failed")), { enableHighAccuracy: false, timeout: patience, maximumAge: recent });
}

/** Tells who was brought here by a press that could not be answered to press once more. */
export function comeBack(): void {
  const button = location.hash === again ? $("#locate") : null;
  const said = button && $(".locate-said", button.parentElement!);
  if (!button || !said) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  said.textContent = t("near.ui.again");
  button.focus();
}

/** Follows a link as if it stood on the page, so that what plays goes on. */
function follow(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}
