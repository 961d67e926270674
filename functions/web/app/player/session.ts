/** What the system around the browser is told: what plays, what its keys do, and that the screen is to stay on. */

import { country, t } from "../texts";
import type { ChannelFull } from "../types";
import type { Player } from "./player";

/** Lets the keys and the lock screen of the system control a player. */
export function session(player: Player, zap: (by: 1 | -1) => boolean): { show(channel: ChannelFull): void } {
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
  return {
    show(channel) {
      if (!system) return;
      const now = channel.guide_now?.agora?.titulo;
      system.metadata = new MediaMetadata({
        title: channel.name, artist: now ?? (channel.country ? country(channel.country) : t(`player.ui.kind_${channel.kind}`)),
        album: now && channel.country ? country(channel.country) : "", artwork: channel.logo_url ? [{ src: channel.logo_url }] : [],
      });
    },
  };
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
