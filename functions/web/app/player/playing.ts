/** What a station plays now, which it tells in its audio. */

import { read } from "../api";
import { h } from "../dom";
import { t } from "../texts";
import type { ChannelFull } from "../types";
import type { Player } from "./player";

const often = 20_000; // ms between two looks
const seldom = 60_000; // while the page is not seen: the lock screen has it too

/** Makes the line below the name of a station, and tells `told` of each title; null is one that is not known. */
export function playing(player: Player, told: (title: string | null) => void): { box: HTMLElement; show(channel: ChannelFull): void } {
  const text = h("span", { dir: "auto" });
  const box = h("p", { class: "stage-playing", hidden: true }, h("span", { class: "sr" }, `${t("player.ui.playing")} `), text);
  let station: string | null = null; // the channel, when it is one
  let last: string | null = null;
  let timer = 0;
  let asking = new AbortController();

  function put(title: string | null): void {
    if (title === last) return;
    last = title;
    text.textContent = title ?? "";
    box.hidden = title === null;
    told(title);
  }

  async function look(): Promise<void> {
    if (station === null) return;
    asking = new AbortController();
    const { signal } = asking;
    const answer = await read<{ title: string | null }>(`/api/channels/${encodeURIComponent(station)}/now-playing`, signal).catch(() => null);
    if (signal.aborted) return;
    if (answer) put(answer.title);
    timer = window.setTimeout(() => void look(), document.hidden ? seldom : often);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = 0;
    asking.abort();
  }

  let looking = false;
  player.on("state", () => {
    const plays = station !== null && (player.state === "playing" || player.state === "waiting");
    if (plays === looking) return;
    looking = plays;
    stop();
    if (plays) void look();
  });
  document.addEventListener("visibilitychange", () => {
    if (!looking || document.hidden || !timer) return;
    stop();
    void look();
  });
  return {
    box,
    show(channel) {
      const id = channel.kind === "radio" ? channel.id : null;
      if (id === station) return;
      station = id;
      looking = false;
      stop();
      put(null);
    },
  };
}
