/** How loud it is, as it was left the last time. */

import { h, iconButton, setIcon } from "../dom";
import { t } from "../texts";

const key = "mm-volume";

/** Makes the button that mutes and the slider of the volume, and keeps what is set. */
export function volume(media: HTMLMediaElement): { button: HTMLButtonElement; slider: HTMLInputElement; toggle(): void } {
  const toggle = (): void => {
    media.muted = !media.muted;
    if (!media.muted && media.volume === 0) media.volume = 0.5;
  };
  const button = iconButton("volume", t("player.ui.mute"), toggle);
  const slider = h("input", {
    type: "range", class: "volume", min: 0, max: 1, step: 0.05, "aria-label": t("player.ui.volume"),
    input: () => { media.volume = slider.valueAsNumber; media.muted = media.volume === 0; },
  });
  const show = (): void => {
    const label = t(media.muted ? "player.ui.unmute" : "player.ui.mute");
    setIcon(button, media.muted || media.volume === 0 ? "muted" : media.volume < 0.5 ? "volume-low" : "volume");
    button.setAttribute("aria-label", label);
    button.title = label;
    slider.valueAsNumber = media.muted ? 0 : media.volume;
  };
  restore(media);
  show();
  media.addEventListener("volumechange", () => { show(); save(media); });
  return { button, slider, toggle };
}

function restore(media: HTMLMediaElement): void {
  try {
    const [loud, muted] = JSON.parse(localStorage.getItem(key) ?? "[1,false]") as [number, boolean];
    media.volume = Math.min(1, Math.max(0, Number(loud)));
    media.muted = muted === true;
  } catch {
    // What was kept is no volume: it is as loud as it comes.
  }
}

function save(media: HTMLMediaElement): void {
  if (media.closest("[data-second]")) return; // muting one of two channels chooses which one is heard, and is not a volume to keep
  try {
    localStorage.setItem(key, JSON.stringify([media.volume, media.muted]));
  } catch {
    // It stays for as long as the page.
  }
}
