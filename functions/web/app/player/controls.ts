/** What one presses on the stage, and the keys that do the same. */

import { $, h, iconButton, setIcon, toast } from "../dom";
import { focusable } from "../spatial";
import { t } from "../texts";
import type { ChannelFull } from "../types";
import { captionStyles } from "./captions";
import { card, type Why } from "./card";
import type { Beside } from "./second";
import { banner, cover, digits, status, streamName } from "./display";
import type { Choice } from "./engine";
import { keys } from "./keys";
import { iconMenu, type Menu, type Section } from "./menu";
import type { Player, State } from "./player";
import { elsewhere, fullscreen, pip } from "./screen";
import { playing } from "./playing";
import { session } from "./session";
import { Sleep } from "./sleep";
import { visual } from "./visual";
import { volume } from "./volume";
import { Zapper } from "./zapper";
import { recall, type Line, type Stop } from "../zap";

export interface Controls {
  /** Tells of another channel: its name, its logo, whether it is a station. */
  show(channel: ChannelFull): void;
  /** Goes to the channel before or after. Reports whether there is one. */
  step(by: 1 | -1): boolean;
  /** Takes the list that was remembered last as that which is stepped through. */
  along(): void;
  /** Returns the channel before or after, or null. */
  beside(by: 1 | -1): Stop | null;
  /** Ends the second channel, if there is one. */
  endSecond(): void;
}

const rest = 3000; // ms without a touch of anything, after which the controls leave the picture alone
const reach = 100; // channels before the one that is shown, and after it, in the list over the picture
const most = 5; // channels in a row that do not play, after which the next is not gone to without a press
const delay = 15; // s that the picture may be later than at its start before it is said not to be live

/**
 * Puts controls onto the stage of a player, and listens to keys. `zap` goes to
 * the channel of a path of this site; `line` is told the list that is zapped through,
 * and where in it the channel is, from 0, or -1. The stage tells its style how it stands:
 * data-state is that of the player, data-kind that of the channel, data-embed
 * that another site's player is shown, data-quiet that the controls are out of
 * the way.
 */
export function controls(player: Player, zap: (path: string) => void, line: (line: Line, at: number) => void): Controls {
  return new Stage(player, zap, line);
}

/** A way to choose among what a stream offers. */
interface Chooser {
  section(): Section;
  worth(): boolean;
}

class Stage implements Controls {
  private channel: ChannelFull | null = null;
  private why: Why = "outro";
  private unfollow: () => void = () => {};
  private followed = 0; // channels that did not play, one after the other
  private timer = 0;
  private woken = false; // by the last touch
  private least = Infinity; // seconds that the picture was late
  private left: HTMLElement | null = null;

  private readonly stage: HTMLElement;
  private readonly zapper: Zapper;
  private readonly banner = banner();
  private readonly digits = digits();
  private readonly card = h("div", { class: "stage-card", role: "alert" });
  private readonly status;
  private readonly cover;
  private readonly playing;
  private readonly sleep: Sleep;
  private readonly session;
  private readonly screen;
  private readonly pip;
  private readonly volume;
  private readonly choosers: Chooser[];
  private readonly settings: Menu;
  private readonly drawer: Menu;
  private readonly second: Menu;
  private twin: Promise<Beside> | null = null;
  private readonly plays: HTMLButtonElement[];
  private readonly before: HTMLButtonElement[];
  private readonly after: HTMLButtonElement[];
  private readonly live: HTMLButtonElement;
  private readonly layer: HTMLElement;

  constructor(private readonly player: Player, private readonly zap: (path: string) => void, private readonly told: (line: Line, at: number) => void) {
    const { media, stage } = player;
    this.stage = stage;
    this.zapper = new Zapper(zap, { aim: (stop, number) => this.aim(stop, number), line: () => this.line() });
    this.status = status(player);
    this.session = session(player, (by) => this.zapper.step(by));
    this.screen = fullscreen(stage, media);
    this.pip = pip(media);
    this.volume = volume(media);
    this.sleep = new Sleep(player);
    this.choosers = this.choices();
    this.settings = iconMenu("settings", t("player.ui.settings"), { class: "settings" }, () => this.choosers.filter((c) => c.worth()).map((c) => c.section()));
    this.drawer = iconMenu("list", t("player.ui.channels"), { class: "icon-button channels", hidden: true }, () => this.channels());
    this.drawer.box.classList.add("drawer");
    this.second = iconMenu("columns", t("player.ui.beside"), { class: "second-open", hidden: true }, () => this.channels("beside"));
    const toggle = (): void => void this.toggle();
    this.plays = [iconButton("play", t("player.ui.play"), toggle, { class: "icon-button big-button" }), iconButton("play", t("player.ui.play"), toggle)];
    this.before = [1, 2].map(() => iconButton("previous", t("player.ui.previous"), () => void this.zapper.step(-1), { class: "icon-button before", hidden: true }));
    this.after = [1, 2].map(() => iconButton("next", t("player.ui.next"), () => void this.zapper.step(1), { class: "icon-button after", hidden: true }));
    this.live = h("button", { type: "button", class: "live", click: () => this.catchUp() }, t("player.ui.live"));
    const box = $(".stage-cover", stage) ?? h("div", { class: "stage-cover" });
    this.playing = playing(player, (title) => {
      this.session.playing(title);
      stage.dispatchEvent(new CustomEvent("playing-title", { detail: title, bubbles: true }));
    });
    this.cover = cover(box, visual(player), this.playing.box);
    this.layer = this.build();
    stage.append(box, this.layer);
    this.listen();
    this.state();
  }

  show(channel: ChannelFull): void {
    const first = this.channel === null;
    const again = this.channel?.id === channel.id;
    this.channel = channel;
    this.stage.dataset["kind"] = channel.kind;
    this.cover.show({ ...channel, logo: channel.logo_url });
    this.session.show(channel);
    this.playing.show(channel);
    this.status.streams(channel.streams);
    if (!again) this.zapper.arrive(channel);
    if (!first && !again) this.banner.show(channel, this.zapper.number);
    this.offer();
    this.state();
  }

  along(): void {
    this.zapper.line = recall();
  }

  step(by: 1 | -1): boolean {
    return this.zapper.step(by);
  }

  beside(by: 1 | -1): Stop | null {
    return this.zapper.beside(by);
  }

  /** Lays the controls out, in the order in which they are reached. */
  private build(): HTMLElement {
    const [big, play] = this.plays as [HTMLButtonElement, HTMLButtonElement];
    const middle = h("div", { class: "stage-middle" }, this.before[0], big, this.after[0]);
    const bar = h("div", { class: "stage-bar" },
      play, this.before[1], this.after[1], this.volume.button, this.volume.slider, this.live, h("span", { class: "gap" }),
      this.drawer.button, this.drawer.box, this.second.button, this.second.box, this.settings.button, this.settings.box,
      this.pip.button, elsewhere(this.player.media), this.screen.button);
    return h("div", { class: "stage-layer", role: "group", "aria-label": t("player.ui.controls") },
      this.status.box, middle, this.card, this.digits.box, this.banner.box, bar);
  }

  /** The channels of the line around the one that is shown, by their numbers: to go to, or to watch beside it. */
  private channels(how: "alone" | "beside" = "alone"): Section[] {
    const { line, number } = this.zapper;
    if (!line) return [];
    const from = Math.max(0, number - 1 - reach);
    const all = line.stops.slice(from, from + 2 * reach).map(({ name }, i) => ({ id: from + i + 1, label: `${from + i + 1}. ${name}` }));
    if (how === "alone") return [{ title: line.title || t("player.ui.channels"), chosen: number, choose: (id) => void this.zapper.jump(Number(id)), choices: all }];
    return [{ title: t("player.ui.beside_label"), chosen: null, choose: (id) => void this.watchBeside(line.stops[Number(id) - 1]!), choices: all.filter(({ id }) => id !== number) }];
  }

  /** Plays a second channel beside this one. */
  private async watchBeside(stop: Stop): Promise<void> {
    this.twin ??= import("./second").then(({ Beside }) => new Beside(this.player, { only: (path) => this.zap(path), closed: () => this.second.button.focus() }));
    await this.twin.then((beside) => beside.show(stop), () => {
      this.twin = null; // the next press tries again
      toast(t("layout.ui.failed"));
    });
  }

  /** Ends the second channel, if there is one. */
  endSecond(): void {
    void this.twin?.then((beside) => beside.close(), () => null);
  }

  /** What can be chosen of captions, sound, quality and streams. */
  private choices(): Chooser[] {
    const { player } = this;
    const none = (label: string): Choice => ({ id: -1, label });
    const styles = captionStyles(this.stage);
    return [
      { worth: () => player.captions().length > 0, section: () => ({
        title: t("player.ui.captions"), chosen: player.caption, choose: (id) => player.setCaption(Number(id)), choices: [none(t("player.ui.off")), ...player.captions()],
      }) },
      { worth: () => player.audios().length > 1, section: () => ({
        title: t("player.ui.audio"), chosen: player.audio, choose: (id) => player.setAudio(Number(id)), choices: player.audios(),
      }) },
      { worth: () => player.qualities().length > 1, section: () => ({
        title: t("player.ui.quality"), chosen: player.quality, choose: (id) => player.setQuality(Number(id)), choices: [none(t("player.ui.automatic")), ...player.qualities()],
      }) },
      { worth: () => this.streams().choices.length > 1, section: () => this.streams() },
      { worth: () => on(player.state), section: () => this.sleep.section() },
      ...styles.map((section) => ({ worth: () => player.caption >= 0, section: () => section })),
    ];
  }

  /** The streams that can be chosen; those of other sites' pages cannot. */
  private streams(): Section {
    const all = (this.channel?.streams ?? []).map((stream, i) => ({ stream, n: i + 1 })).filter(({ stream }) => stream.kind !== "externo");
    return {
      title: t("player.ui.streams"), chosen: this.player.stream?.id ?? null,
      choices: all.map(({ stream, n }) => {
        const code = this.player.failures.get(stream.id);
        return { id: stream.id, label: `${n}. ${streamName(stream, n)}`, note: code && t(`failure.ui.label_${code}`) };
      }),
      choose: (id) => {
        const chosen = all.find(({ stream }) => stream.id === id);
        if (chosen) this.player.choose(chosen.stream);
      },
    };
  }

  private listen(): void {
    const { player, stage } = this;
    player.on("state", () => this.state());
    player.on("stream", () => this.offer());
    player.on("fallback", ({ detail: { code } }) => { this.why = code; this.offer(); });
    player.on("failed", ({ detail: { code, spent } }) => { this.why = spent ? "spent" : code; this.state(); });
    player.media.addEventListener("timeupdate", () => this.lag());
    player.media.addEventListener("loadedmetadata", () => { this.least = Infinity; this.state(); });
    for (const name of ["pointermove", "pointerdown", "focusin", "keydown"]) stage.addEventListener(name, () => this.wake());
    document.addEventListener("keydown", () => this.wake(), true);
    stage.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") this.wake(500); });
    this.layer.addEventListener("click", (event) => this.press(event));
    this.layer.addEventListener("dblclick", (event) => { if (this.onPicture(event)) this.screen.toggle(); });
    keys(stage, {
      zap: (by) => this.zapper.step(by),
      jump: (number) => { if (!this.zapper.jump(number)) this.digits.none(number); },
      digits: (typed) => this.digits.type(typed),
      back: () => this.zapper.back(),
      toggle: () => this.toggle(),
      pause: () => { player.pause(); return true; },
      fullscreen: () => this.screen.toggle(),
      mute: () => { this.volume.toggle(); return true; },
      pip: () => this.pip.toggle(),
      captions: () => this.captions(),
      favorite: () => this.favorite(),
      channels: () => this.list(),
      sound: () => this.otherSound(),
      enter: () => this.enter(),
    });
  }

  /** Hears the other of two channels. Reports whether there are two. */
  private otherSound(): boolean {
    if (!this.stage.hasAttribute("data-second")) return false;
    void this.twin?.then((beside) => beside.switchSound(), () => null);
    return true;
  }

  private onPicture(event: MouseEvent): boolean {
    return event.target === this.layer || (event.target as Element).classList.contains("stage-middle");
  }

  /** A click on the picture pauses; a tap shows the controls, or puts them away. */
  private press(event: MouseEvent): void {
    if (!this.onPicture(event)) return;
    if ((event as PointerEvent).pointerType !== "touch") this.toggle();
    else if (this.woken) this.hush();
  }

  private toggle(): boolean {
    const { state } = this.player;
    if (state === "failed") this.again();
    else if (state === "playing" || state === "waiting" || state === "connecting") this.player.pause();
    else void this.player.play();
    return true;
  }

  private again(): void {
    if (this.channel) this.player.load(this.channel);
    void this.player.play();
  }

  /** Goes on to the captions after those that are shown, and from the last to none. */
  private captions(): boolean {
    const ids = [-1, ...this.player.captions().map(({ id }) => id)];
    if (ids.length > 1) this.player.setCaption(ids[(ids.indexOf(this.player.caption) + 1) % ids.length]!);
    return ids.length > 1;
  }

  private favorite(): boolean {
    const button = $(`[data-favorite="${CSS.escape(this.channel?.id ?? "")}"]`);
    button?.click();
    return button !== null;
  }

  /** Opens the list of channels over the picture. */
  private list(): boolean {
    const { button } = this.drawer;
    if (button.hidden) return false;
    this.wake();
    button.click();
    return true;
  }

  private aim(stop: Stop, number: number): void {
    this.banner.aim(stop, number);
  }

  /** Shows where one can zap to. */
  private line(): void {
    const { line, number } = this.zapper;
    this.drawer.button.hidden = !line || line.stops.length < 2;
    this.second.button.hidden = this.drawer.button.hidden || this.channel?.kind === "radio";
    if (line) this.told(line, number - 1);
    for (const [buttons, by, text] of [[this.before, -1, "player.ui.previous"], [this.after, 1, "player.ui.next"]] as const) {
      const stop = this.zapper.beside(by);
      for (const button of buttons) {
        button.hidden = stop === null;
        button.title = stop ? `${t(text)}: ${stop.name}` : "";
      }
    }
  }

  /** Shows the menus that have something to choose, and what the media can do. */
  private offer(): void {
    const { player, stage } = this;
    const embed = player.stream?.kind === "youtube";
    stage.toggleAttribute("data-embed", embed);
    this.settings.button.hidden = !this.choosers.some(({ worth }) => worth());
    this.pip.update(!embed && this.channel?.kind !== "radio" && player.media.readyState > 0);
    for (const part of [this.volume.button, this.volume.slider, this.plays[1]!]) part.hidden = embed;
  }

  private state(): void {
    const { state } = this.player;
    this.stage.dataset["state"] = state;
    const pauses = state === "playing" || state === "waiting" || state === "connecting";
    for (const button of this.plays) {
      setIcon(button, pauses ? "pause" : "play");
      button.title = t(pauses ? "player.ui.pause" : "player.ui.play");
      button.setAttribute("aria-label", button.title);
    }
    this.live.hidden = !on(state) || Number.isFinite(this.player.media.duration);
    this.offer();
    this.fail();
    this.wake();
  }

  /** Shows the card of a failure, or takes it away. */
  private fail(): void {
    const { channel, player } = this;
    const failed = player.state === "failed" && channel !== null;
    this.card.hidden = !failed;
    this.unfollow();
    this.unfollow = () => {};
    if (player.state === "playing") this.followed = 0;
    if (!failed) return this.card.replaceChildren();
    this.unfollow = card(this.card, channel, this.why, {
      follow: this.followed < most, again: () => this.again(), next: this.zapper.beside(1) && (() => { this.followed++; this.zapper.step(1); }), streams: this.streams(), minutes: () => void this.minutes() });
  }

  /** Sells a pass for this network, and plays on once it is bought. */
  private async minutes(): Promise<void> {
    const stream = this.channel?.streams.find(({ kind }) => kind === "hls");
    if (!stream) return;
    const whole = $<HTMLAnchorElement>(".embed-link");
    if (whole) return void open(whole.href, "_blank", "noopener"); // nothing is paid for within another site
    const { buyMinutes } = await import("./minutes");
    if (await buyMinutes(stream.url)) this.again();
  }

  /** Says whether the picture is as late as it was at its start, or later. */
  private lag(): void {
    const late = this.lateness();
    this.least = Math.min(this.least, late);
    const behind = late > this.least + delay;
    if (this.live.classList.contains("late") === behind) return;
    this.live.classList.toggle("late", behind);
    this.live.textContent = t(behind ? "player.ui.go_live" : "player.ui.live");
  }

  /** Returns how many seconds the media is behind the latest that there is of it. */
  private lateness(): number {
    const { currentTime, seekable } = this.player.media;
    return seekable.length > 0 ? seekable.end(seekable.length - 1) - currentTime : 0;
  }

  private catchUp(): void {
    if (this.live.classList.contains("late")) this.player.media.currentTime += this.lateness() - this.least;
    void this.player.play();
  }

  /** Shows the controls for a while. */
  private wake(after: number = rest): void {
    const was = this.stage.hasAttribute("data-quiet");
    this.stage.removeAttribute("data-quiet");
    this.woken = !was;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.hush(), after);
  }

  /** Takes the focus to what had it when the controls went away, or to where they begin. */
  private enter(): boolean {
    const to = this.left?.checkVisibility() ? this.left : $("[data-first]:not([hidden])", this.card) ?? focusable(this.layer)[0];
    to?.focus();
    return to !== undefined;
  }

  /** Puts the controls away, unless something is being done with them. */
  private hush(): void {
    const focused = document.activeElement;
    const inside = focused instanceof HTMLElement && this.layer.contains(focused);
    if (this.player.state !== "playing" || this.layer.matches(":has(:popover-open)")) return;
    if (inside && !document.fullscreenElement && focused.matches(":focus-visible")) return;
    if (inside) {
      this.left = focused;
      focused.blur();
    }
    this.stage.setAttribute("data-quiet", "");
  }
}

function on(state: State): boolean {
  return state === "playing" || state === "waiting" || state === "paused";
}
