/** Showing the picture elsewhere: on the whole screen, in a window of its own, on another device. */

import { h, iconButton, setIcon, toast } from "../dom";
import { t } from "../texts";

/** What Safari has under names of its own. */
interface WebKitVideo extends HTMLVideoElement {
  webkitEnterFullscreen?(): void;
  webkitShowPlaybackTargetPicker?(): void;
}

interface WebKitElement extends HTMLElement {
  webkitRequestFullscreen?(): void;
}

interface WebKitDocument extends Document {
  webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?(): void;
}

const page = document as WebKitDocument;

export interface Screen {
  button: HTMLButtonElement;
  toggle(): boolean;
}

/** Makes the button of the whole screen, which shows the stage with its controls where it may, else the video alone. */
export function fullscreen(stage: WebKitElement, media: WebKitVideo): Screen {
  const shown = (): boolean => (page.fullscreenElement ?? page.webkitFullscreenElement ?? null) === stage;
  const toggle = (): boolean => {
    if (shown()) void (page.exitFullscreen ? page.exitFullscreen() : page.webkitExitFullscreen?.());
    else if (stage.requestFullscreen) void stage.requestFullscreen({ navigationUI: "hide" }).then(sideways, () => null);
    else if (stage.webkitRequestFullscreen) stage.webkitRequestFullscreen();
    else media.webkitEnterFullscreen?.();
    return true;
  };
  const button = iconButton("fullscreen", t("player.ui.fullscreen"), toggle);
  const show = (): void => {
    setIcon(button, shown() ? "fullscreen-exit" : "fullscreen");
    button.title = t(shown() ? "player.ui.fullscreen_exit" : "player.ui.fullscreen");
    button.setAttribute("aria-label", button.title);
  };
  document.addEventListener("fullscreenchange", show);
  document.addEventListener("webkitfullscreenchange", show);
  return { button, toggle };
}

/** Turns a phone's picture to its side, where that can be asked. */
async function sideways(): Promise<void> {
  const turning = screen.orientation as ScreenOrientation & { lock?(to: string): Promise<void> };
  if (matchMedia("(pointer: coarse)").matches) await turning.lock?.("landscape").catch(() => null);
}

/** Makes the button of picture in picture; it is hidden while it can do nothing. */
export function pip(media: HTMLVideoElement): Screen & { update(possible: boolean): void } {
  const toggle = (): boolean => {
    if (button.hidden) return false;
    const done = document.pictureInPictureElement ? document.exitPictureInPicture() : media.requestPictureInPicture();
    done.catch(() => toast(t("player.ui.pip_failed")));
    return true;
  };
  const button = iconButton("pip", t("player.ui.pip"), toggle, { hidden: true });
  const update = (possible: boolean): void => { button.hidden = !possible || !document.pictureInPictureEnabled; };
  return { button, toggle, update };
}

/** Makes the button that plays on another device; it is there when one is. */
export function elsewhere(media: WebKitVideo): HTMLElement {
  const button = (icon: string, label: string, run: () => void): HTMLButtonElement => iconButton(icon, label, run, { hidden: true });
  const airplay = button("airplay", t("player.ui.airplay"), () => media.webkitShowPlaybackTargetPicker?.());
  if (media.webkitShowPlaybackTargetPicker) {
    media.addEventListener("webkitplaybacktargetavailabilitychanged", (event) => {
      airplay.hidden = (event as Event & { availability?: string }).availability !== "available";
    });
    return airplay;
  }
  const cast = button("cast", t("player.ui.cast"), () => void media.remote.prompt().catch(() => null));
  const watch = (): void => void media.remote?.watchAvailability((there) => { cast.hidden = !there; }).catch(() => { cast.hidden = true; });
  media.addEventListener("loadedmetadata", watch, { once: true });
  return "remote" in media ? cast : h("span", { hidden: true });
}
