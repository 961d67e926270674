/**
 * A second channel beside the first, for those who watch two: picture beside picture, and the sound of one. It is a player
 * of its own, and counted as a play of its own.
 */

import { call, read } from "../api";
import { h, iconButton, setIcon } from "../dom";
import { report } from "../report";
import { locale, t } from "../texts";
import type { ChannelFull } from "../types";
import type { Stop } from "../zap";
import { Player } from "./player";

/** What the stage is told of the second channel. */
export interface Acts {
  /** It is to be watched alone. */
  only(path: string): void;
  /** It was closed. */
  closed(): void;
}

export class Beside {
  private readonly name = h("span", { class: "second-name", dir: "auto" });
  private readonly note = h("span", { class: "second-note", role: "status" });
  private readonly sound = iconButton("muted", "", () => this.switchSound());
  private readonly only = iconButton("fullscreen", "", () => {
    const { path } = this.stop!;
    this.close();
    this.acts.only(path);
  });
  private readonly end = iconButton("close", "", () => this.close());
  private readonly box = h("div", { class: "second", role: "group", "aria-label": t("player.ui.beside_label") },
    h("div", { class: "second-bar" }, this.name, this.note, this.sound, this.only, this.end));
  private readonly player = new Player(this.box);
  private stop: Stop | null = null;
  private second = false; // its sound is the one that is heard
  private muted = false; // the first was, before the second was heard
  private asking = new AbortController();

  constructor(private readonly main: Player, private readonly acts: Acts) {
    const { player } = this;
    player.on("played", () => {
      const id = this.stop!.id;
      void report(id, true);
      call("POST", "/api/history", { channel_id: id }).catch(() => null);
    });
    player.on("failed", ({ detail: { code, ours, spent } }) => {
      this.note.textContent = t(`failure.ui.label_${spent ? "spent" : code}`);
      if (!ours) void report(this.stop!.id, false, code);
    });
    player.on("state", () => { if (player.state === "playing") this.note.textContent = ""; });
    player.media.addEventListener("click", () => this.switchSound());
  }

  /** Whether there is a second channel. */
  get open(): boolean {
    return this.stop !== null;
  }

  /** Plays a channel beside the first, without its sound at first. */
  async show(stop: Stop): Promise<void> {
    const { main, player } = this;
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    if (!this.open) {
      main.stage.dataset["second"] = "";
      main.stage.append(this.box);
    }
    this.stop = stop;
    player.stop();
    this.hear(false);
    this.draw();
    this.note.textContent = t("player.ui.connecting");
    this.sound.focus();
    try {
      const record = await read<ChannelFull>(`/api/channels/${encodeURIComponent(stop.id)}?${new URLSearchParams({ lang: locale })}`, signal);
      player.load(record);
      await player.play();
    } catch {
      if (!signal.aborted) this.note.textContent = t("layout.ui.failed");
    }
  }

  /** Hears the other of the two. */
  switchSound(): void {
    this.hear(!this.second);
  }

  /** Ends the second channel. The first is heard as before. */
  close(): void {
    if (!this.open) return;
    this.asking.abort();
    this.player.stop();
    this.box.remove();
    this.stop = null;
    if (this.second) this.main.media.muted = this.muted;
    this.second = false;
    delete this.main.stage.dataset["second"];
    this.acts.closed();
  }

  private hear(second: boolean): void {
    const { main, player } = this;
    if (second && !this.second) this.muted = main.media.muted; // as somebody left it, who may mute the first while there are two
    if (second || this.second) main.media.muted = second || this.muted;
    this.second = second;
    player.media.volume = main.media.volume;
    player.media.muted = !second;
    this.draw();
  }

  private draw(): void {
    const name = this.stop?.name ?? "";
    this.name.textContent = name;
    this.box.classList.toggle("heard", this.second);
    setIcon(this.sound, this.second ? "volume" : "muted");
    this.sound.setAttribute("aria-pressed", String(this.second));
    for (const [button, text] of [[this.sound, "sound"], [this.only, "only"], [this.end, "close"]] as const) {
      button.title = t(`player.ui.beside_${text}`, { name });
      button.setAttribute("aria-label", button.title);
    }
  }
}
