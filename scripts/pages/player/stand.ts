/** A page with nothing but the player: what it tells is kept in a list, for tests to read. */

import { Player } from "../../../functions/web/app/player/player";
import type { ChannelFull } from "../../../functions/web/app/types";

declare global {
  interface Window {
    player: Player;
    events: Told[];
    shown: ChannelFull;
  }
}

interface Told {
  name: string;
  detail: unknown;
  at: number;
}

const player = new Player(document.getElementById("stage")!);
const events: Told[] = [];
const tell = (name: string, detail: unknown): void => void events.push({ name, detail, at: player.media.currentTime });
player.on("state", ({ detail }) => tell("state", detail));
player.on("stream", ({ detail }) => tell("stream", detail.id));
player.on("fallback", ({ detail: { from, code, to } }) => tell("fallback", { from: from.id, code, to: to?.id ?? null }));
player.on("played", ({ detail: { stream } }) => tell("played", stream.id));
player.on("failed", ({ detail }) => tell("failed", detail));
Object.assign(window, { player, events });

const asked = document.getElementById("data")?.textContent;
if (asked) {
  player.load(JSON.parse(asked) as ChannelFull);
  void player.play();
}
