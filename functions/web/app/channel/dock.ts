/** The small player at the edge of the window, in which a channel plays on while other pages are shown. */

import { $, h, iconButton, setIcon } from "../dom";
import type { Player } from "../player/player";
import { t } from "../texts";

/** What is pressed on the small player. */
export interface Acts {
  /** Goes to the channel before or after. */
  step(by: 1 | -1): void;
  /** Reports whether there is one. */
  beside(by: 1 | -1): boolean;
  /** Goes back to the page of the channel. */
  back(): void;
  /** The small player was closed, and what played has stopped. */
  closed(): void;
}

const going = ["connecting", "playing", "waiting"];

export class Dock {
  private readonly slot = h("div", { class: "dock-stage", click: () => this.acts.back() });
  private readonly link = h("a", { class: "dock-link", dir: "auto", href: "" });
  private readonly song = h("span", { class: "dock-song", dir: "auto" });
  private readonly note = h("span", { class: "dock-note", role: "status" });
  private readonly before = iconButton("previous", t("player.ui.previous"), () => this.acts.step(-1), { class: "icon-button dock-zap" });
  private readonly after = iconButton("next", t("player.ui.next"), () => this.acts.step(1), { class: "icon-button dock-zap" });
  private readonly toggle = iconButton("pause", t("player.ui.pause"), () => this.press());
  private readonly box = h("aside", { class: "dock", "aria-label": t("player.ui.dock") }, this.slot,
    h("div", { class: "dock-bar" }, h("p", { class: "dock-name" }, this.link, this.song, this.note),
      this.before, this.toggle, this.after, iconButton("close", t("player.ui.end"), () => this.close())));

  constructor(private readonly player: Player, private readonly acts: Acts) {
    player.on("state", () => this.draw());
    player.stage.addEventListener("playing-title", (event) => { this.song.textContent = (event as CustomEvent<string | null>).detail ?? ""; });
    player.on("failed", ({ detail: { code } }) => { this.note.textContent = t(`failure.ui.label_${code}`); });
  }

  /** Whether the stage stands in it. */
  get open(): boolean {
    return this.player.stage.parentElement === this.slot;
  }

  /** Takes the stage, which plays on. */
  take(): void {
    document.body.insertBefore(this.box, $("#toasts"));
    document.body.classList.add("docked");
    place(this.player, this.slot, null);
    this.note.textContent = "";
    this.draw();
  }

  /** Puts the stage where the page of a channel has its own, and is gone. */
  give(slot: Element): void {
    place(this.player, slot.parentElement!, slot);
    slot.remove();
    this.end();
  }

  /** Shows the channel that plays, with the path of its page. */
  show(name: string, path: string): void {
    this.link.textContent = name;
    this.link.href = path;
    this.link.setAttribute("aria-label", t("player.ui.return", { name }));
    this.note.textContent = "";
    this.draw();
  }

  private end(): void {
    this.box.remove();
    document.body.classList.remove("docked");
  }

  private close(): void {
    this.player.stop();
    this.player.stage.remove();
    this.end();
    this.acts.closed();
  }

  private press(): void {
    if (going.includes(this.player.state)) this.player.pause();
    else void this.player.play();
  }

  private draw(): void {
    const plays = going.includes(this.player.state);
    const label = t(plays ? "player.ui.pause" : "player.ui.play");
    setIcon(this.toggle, plays ? "pause" : "play");
    this.toggle.title = label;
    this.toggle.setAttribute("aria-label", label);
    this.before.hidden = !this.acts.beside(-1);
    this.after.hidden = !this.acts.beside(1);
    if (this.player.state === "playing") this.note.textContent = "";
  }
}

/** A parent that can take an element from elsewhere in the document as it is: a frame in it does not load again. */
type Mover = Element & { moveBefore?(element: Element, before: Element | null): void };

/** Reports whether what is on the stage of a player can be moved and play on: a frame of another site needs a browser that moves elements as they are. */
export function movable(player: Player): boolean {
  return player.stream?.kind !== "youtube" || "moveBefore" in Element.prototype;
}

/** Puts the stage of a player into a parent. Media plays on when it is in the document again at once. */
function place(player: Player, parent: Mover, before: Element | null): void {
  const { media, stage } = player;
  const played = stage.isConnected && !media.paused;
  if (stage.isConnected && parent.moveBefore) parent.moveBefore(stage, before);
  else parent.insertBefore(stage, before);
  if (played && media.paused) void player.play();
}
