/** What the system around the browser is told: what plays, what its keys do, and that the screen is to stay on. */

import { country, t } from "../texts";
import type { ChannelFull } from "../types";
import type { Player } from "./player";

/** Lets the keys and the lock screen of the system control a player, and shows there what plays: `playing` takes the title that a station tells. */
export function session(player: Player, zap: (by: 1 | -1) => boolean): { show(channel: ChannelFull): void; playing(title: string | null): void } {
  const system = navigator.mediaSession as MediaSession | undefined;
  const handlers: [MediaSessionAction, () => void][] = [
    ["play", () => void player.play()], ["pause", () => player.pause()], ["stop", () => player.stop()],
    ["previoustrack", () => zap(-1)], ["nexttrack", () => zap(1)],
  ];
  for (const [action, run] of handlers) {
    try {
      system?.setActionHandler(action, run);
    } catch {
      // A browser that does not know the action goes without it.
    }
  }
  const awake = wakefulness(player);
  player.on("state", () => {
    if (system) system.playbackState = player.state === "playing" || player.state === "waiting" ? "playing" : player.state === "paused" ? "paused" : "none";
    awake();
  });
  let shown: ChannelFull | null = null;
  let song: string | null = null;
  const tell = (): void => {
    if (!system || !shown) return;
    const where = shown.country ? country(shown.country) : t(`player.ui.kind_${shown.kind}`);
    const now = shown.guide_now?.agora?.titulo;
    const artwork = [artworkOf(shown)];
    system.metadata = new MediaMetadata(song === null
      ? { title: shown.name, artist: now ?? where, album: now ? where : "", artwork }
      : { title: song, artist: shown.name, album: where, artwork });
  };
  return {
    show(channel) {
      if (shown?.id !== channel.id) song = null;
      shown = channel;
      tell();
    },
    playing(title) {
      song = title;
      tell();
    },
  };
}

/** Returns the picture of a channel for a screen that is not ours: its logo or, where that is missing or needs a dark ground, the picture that is drawn of it. */
function artworkOf({ id, logo_url }: ChannelFull): MediaImage {
  const dark = /--d$/.test(logo_url ?? "");
  return logo_url && !dark ? { src: logo_url, sizes: "256x256" } : { src: `/og/${encodeURIComponent(id)}.png`, sizes: "1200x630", type: "image/png" };
}

/** Returns what keeps the screen on while a video plays, and lets it go dark when none does. */
function wakefulness(player: Player): () => void {
  let lock: Promise<WakeLockSentinel | null> | null = null;
  const update = (): void => {
    const wanted = player.state === "playing" && player.stage.dataset["kind"] !== "radio" && document.visibilityState === "visible";
    if (wanted === (lock !== null)) return;
    if (lock) {
      void lock.then((held) => held?.release()).catch(() => null);
      lock = null;
    } else if ("wakeLock" in navigator) {
      lock = navigator.wakeLock.request("screen").catch(() => null);
    }
  };
  document.addEventListener("visibilitychange", update);
  return update;
}
