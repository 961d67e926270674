/**
 * The page of a channel: plays it, tells how that went, and goes on to other channels in place. While it plays, following
 * a link puts the next page in the place of this one, and the player stands at the edge of the window.
 */

import { call, Failure, read } from "./api";
import { comments } from "./comments";
import { Dock, movable } from "./channel/dock";
import { fetchChannel, fetchPage, recordOf, replace, show, type Fetched } from "./channel/page";
import { drawNext } from "./channel/next";
import { watchGuide } from "./channel/on";
import { copy, share } from "./channel/share";
import { markFailed, markPlaying, tellTimes } from "./channel/streams";
import { Talk } from "./channel/talk";
import { $, afterPaint, h, toast } from "./dom";
import { leave, name } from "./page";
import { panel, reportDialog } from "./panel";
import { controls, type Controls } from "./player/controls";
import { Player } from "./player/player";
import { report } from "./report";
import { run } from "./start";
import { count, learn, locale, t } from "./texts";
import { watched } from "./watched";
import { standBeside } from "./zap";
import type { ChannelFull, Social } from "./types";

/** What plays in this document, from the first channel on. */
let watch: Watch | null = null;

/** Makes the page of a channel work. */
export function channel(): void {
  const stage = $("#stage");
  if (!stage) return;
  watch = new Watch(stage);
  watch.begin(recordOf(document), started());
}

let starting = new AbortController(); // of the first channel in the small player

/** Plays the channel at a path of this site in the small player, while the page that is shown stays. Of two that are chosen at once the last one plays. Rejects when there is none. */
export async function playBeside(path: string): Promise<void> {
  if (watch) return watch.playBeside(path);
  starting.abort();
  const { signal } = (starting = new AbortController());
  const found = await fetchChannel(path, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!found || signal.aborted) return;
  const { page, address } = found;
  const stage = $("#stage", page);
  if (!stage) throw new Error(`nothing plays at ${path}`);
  learn(page);
  watch = new Watch(document.adoptNode(stage));
  watch.startBeside(recordOf(page), address);
}

/** Reports whether a list wanted its channel to play at once, and forgets it. */
function started(): boolean {
  try {
    const play = sessionStorage.getItem("mm-play") !== null;
    sessionStorage.removeItem("mm-play");
    return play;
  } catch {
    return false;
  }
}

const calm = 1500; // ms that a channel plays before the page of the next is fetched
const fresh = 60_000; // ms for which a page that was fetched ahead may be shown
const patience = 1200; // ms that playing waits for the order that the API gives to this caller

class Watch {
  private readonly player: Player;
  private readonly controls: Controls;
  private readonly dock: Dock;
  private readonly said = h("p", { class: "sr", role: "status" });
  private talk = new Talk();
  private record!: ChannelFull;
  private path = location.pathname; // of the channel
  private at = location.pathname; // of the page that is shown
  private going = new AbortController(); // to another channel
  private leaving = new AbortController(); // for another page
  private ahead: { path: string; at: number; page: Promise<Fetched | null> } | null = null; // the channel that comes next
  private timer = 0; // until it is fetched

  constructor(stage: HTMLElement) {
    this.player = new Player(stage);
    this.controls = controls(this.player, (path) => void this.zap(path), (line, at) => { if (!this.dock.open) drawNext(line, at); });
    this.dock = new Dock(this.player, {
      step: (by) => void this.controls.step(by), beside: (by) => this.controls.beside(by) !== null, back: () => void this.go(this.path, "push"), closed: () => $("#main")?.focus({ preventScroll: true }),
    });
    this.listen();
    document.body.append(this.said);
    document.addEventListener("click", (event) => {
      this.press(event);
      this.follow(event);
    });
    document.addEventListener("submit", (event) => this.search(event));
    addEventListener("popstate", () => {
      if (location.pathname !== this.at) void this.go(location.pathname + location.search + location.hash, "none", (history.state as { y?: number } | null)?.y ?? 0);
    });
  }

  /** Shows a channel whose page is there, and plays it if wanted. */
  begin(record: ChannelFull, play: boolean, ranked?: ChannelFull): void {
    const asked = this.describe(record);
    this.take(record);
    void this.order(ranked ? Promise.resolve(ranked) : asked, play);
  }

  /** Begins with a channel in the small player. */
  startBeside(record: ChannelFull, address: string): void {
    standBeside(address);
    this.path = address;
    this.dock.take();
    this.begin(record, true);
  }

  /** Goes to a channel in the small player, along the list that was remembered last. */
  async playBeside(path: string): Promise<void> {
    this.controls.along();
    if (!this.dock.open) this.dock.take();
    await this.zap(path);
  }

  /** Fills the page of a channel, if it is that which is shown. Returns what the API says of the channel. */
  private describe(record: ChannelFull): Promise<ChannelFull> {
    if (this.dock.open) return this.ask(record.id);
    const said = $("#comments");
    const asked = this.ask(record.id);
    if (said) comments(said, record.id);
    unfold(record.id);
    this.talk.show(record.id);
    tellTimes();
    watchGuide(async () => (await this.ask(record.id)).guide_now);
    void asked.then(({ social }) => { if (social && this.record.id === record.id) numbers(social); }, () => null);
    return asked;
  }

  private ask(id: string): Promise<ChannelFull> {
    const feed = new URLSearchParams(location.search).get("feed"); // whose streams come first; the address of a channel that is zapped to has none
    return read<ChannelFull>(recordPath(id, feed), this.going.signal);
  }

  private take(record: ChannelFull): void {
    if (!/^https?:\/\//i.test(record.website ?? "")) record.website = null;
    const { letters, size } = this.record?.id === record.id ? this.record : record;
    this.record = { ...record, ...(letters && { letters }), ...(size && { size }) };
    this.player.load(this.record);
    this.controls.show(this.record);
    this.dock.show(record.name, this.path);
  }

  /** Takes the streams in the order in which the API ranks them for this caller, unless something plays by then. */
  private async order(asked: Promise<ChannelFull>, play: boolean): Promise<void> {
    const { signal } = this.going;
    const late = play ? new Promise<null>((done) => setTimeout(done, patience, null)) : null;
    const record = await Promise.race([asked, ...(late ? [late] : [])]).catch(() => null);
    if (signal.aborted) return;
    if (record && record.id === this.record.id && this.player.state === "idle") this.take(record);
    if (play && this.player.state === "idle") await this.player.play();
  }

  /** Goes to the channel at a path of this site. What plays goes on until the next is there. The small player leaves the page as it is. */
  private async zap(path: string): Promise<void> {
    if (!this.dock.open) return this.go(path, "push");
    this.going.abort();
    const { signal } = this.going = new AbortController();
    try {
      const next = await this.ready(path) ?? await fetchChannel(path, signal);
      if (signal.aborted) return;
      this.path = next.address;
      this.begin(recordOf(next.page), true, next.ranked);
    } catch {
      if (!signal.aborted) toast(t(navigator.onLine ? "layout.ui.failed" : "layout.ui.offline"));
    }
  }

  /** Fetches the page and the playlists of the channel that comes next, so that zapping there needs no wait. */
  private prefetch(): void {
    const { path } = this.controls.beside(1) ?? {};
    if (!path || this.player.state !== "playing" || (navigator as Navigator & { connection?: { saveData: boolean } }).connection?.saveData) return;
    if (this.ahead?.path !== path || Date.now() - this.ahead.at >= fresh) {
      this.ahead = { path, at: Date.now(), page: fetchChannel(path, AbortSignal.timeout(fresh)).catch(() => null) };
    }
    void this.ahead.page.then((next) => next && this.prepare(next));
  }

  /** Gets ready to play the channel of a page that was fetched ahead. */
  private async prepare(next: Fetched): Promise<void> {
    const { id } = next.ranked ?? recordOf(next.page);
    next.ranked ??= await read<ChannelFull>(recordPath(id), AbortSignal.timeout(fresh)).catch(() => undefined);
    if (next.ranked && this.player.state === "playing") await this.player.ahead(next.ranked);
  }

  /** Returns the page at an address, when it was fetched ahead, once; else null. */
  private async ready(address: string): Promise<Fetched | null> {
    const { ahead } = this;
    if (ahead?.path !== address || Date.now() - ahead.at >= fresh) return null;
    this.ahead = null;
    return ahead.page;
  }

  /** Reports whether something plays, or is about to, that a link is not to end. */
  private plays(): boolean {
    return (this.dock.open || ["connecting", "playing", "waiting"].includes(this.player.state)) && movable(this.player);
  }

  /** Shows the page at an address of this site without leaving the document; by leaving it when that fails. */
  private async go(address: string, entry: "push" | "none", y = 0): Promise<void> {
    this.leaving.abort();
    const { signal } = this.leaving = new AbortController();
    const main = $("#main");
    main?.setAttribute("aria-busy", "true");
    try {
      const next = await this.ready(address) ?? await fetchPage(address, signal);
      if (signal.aborted) return;
      if (entry === "push") {
        history.replaceState({ ...(history.state as object | null), y: scrollY }, "");
        history.pushState(null, "", next.address);
      }
      history.scrollRestoration = "manual";
      this.turn(next, y);
    } catch {
      if (signal.aborted) return;
      main?.removeAttribute("aria-busy");
      if (!navigator.onLine) toast(t("layout.ui.offline"));
      else if (entry === "push") location.assign(address);
      else location.reload();
    }
  }

  /** Shows a page that was fetched. */
  private turn({ page, address, ranked }: Fetched, y: number): void {
    const was = name();
    const to = page.body.dataset["page"];
    const play = started() || was === "channel" || this.plays();
    this.at = location.pathname;
    if (was === "channel" && to === "channel") {
      show(page);
      $("#main")?.removeAttribute("aria-busy");
    } else {
      if (was === "channel") this.part();
      leave();
      replace(page);
      if (to === "channel") this.join();
      else run();
      this.said.textContent = document.title;
      if (!(document.activeElement instanceof HTMLInputElement)) $("#main")?.focus({ preventScroll: true });
    }
    if (!document.fullscreenElement) scrollTo({ top: y, behavior: "instant" });
    if (to !== "channel") return;
    const record = recordOf(document);
    this.path = address;
    if (was !== "channel" && record.id === this.record.id && this.player.state !== "idle") {
      void this.describe(record).catch(() => null);
      if (this.player.state === "playing") markPlaying(this.player.stream?.id ?? null);
      return;
    }
    this.going.abort();
    this.going = new AbortController();
    this.begin(record, play, ranked);
  }

  /** Takes the stage from the page of the channel, which is about to go. */
  private part(): void {
    if (document.fullscreenElement) void document.exitFullscreen().catch(() => null);
    this.controls.endSecond();
    this.talk.leave();
    if (this.plays()) this.dock.take();
    else {
      this.player.stop();
      this.player.stage.remove();
    }
  }

  /** Gives the stage to the page of a channel, which has come. */
  private join(): void {
    const slot = $("#main #stage");
    if (slot) this.dock.give(slot);
    this.talk = new Talk();
  }

  /** Follows a link to another page in place, while something plays. */
  private follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download") || link.origin !== location.origin || link.pathname === location.pathname || link.pathname.startsWith("/api/") || !this.plays()) return;
    event.preventDefault();
    void this.go(link.pathname + link.search + link.hash, "push");
  }

  /** Searches in place, while something plays. */
  private search(event: SubmitEvent): void {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || !form.matches(".search") || !this.plays()) return;
    event.preventDefault();
    const words = $<HTMLInputElement>("#q", form)?.value.trim();
    void this.go(new URL(form.action).pathname + (words ? `?${new URLSearchParams({ q: words })}` : ""), "push");
  }

  private listen(): void {
    const { player } = this;
    player.on("played", ({ detail: { stream } }) => {
      markPlaying(stream.id);
      void this.tell(report(this.record.id, true));
      watched();
      call("POST", "/api/history", { channel_id: this.record.id }).catch(() => null);
    });
    player.on("fallback", ({ detail: { from, code } }) => markFailed(from.id, code));
    player.on("failed", ({ detail: { code, ours } }) => {
      markPlaying(null);
      if (!ours) void this.tell(report(this.record.id, false, code));
    });
    player.on("state", ({ detail: state }) => {
      if (state === "playing") markPlaying(player.stream?.id ?? null);
      else if (state === "idle") markPlaying(null);
      clearTimeout(this.timer);
      if (state === "playing") this.timer = window.setTimeout(() => this.prefetch(), calm);
    });
    player.stage.addEventListener("pointermove", () => { if (this.ahead) this.prefetch(); }); // a visitor who moves the pointer may be about to zap
  }

  /** Lets the page know of a report once it is made. */
  private async tell(made: Promise<void>): Promise<void> {
    await made;
    document.dispatchEvent(new CustomEvent("mm-reported"));
  }

  private press(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>(".watch a[data-channel]");
    if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      return void this.go(link.pathname, "push");
    }
    const button = (event.target as Element).closest<HTMLElement>("[data-stream], [data-copy], [data-share], [data-report]");
    if (!button) return;
    const { stream, copy: address } = button.dataset;
    if (stream !== undefined) void this.choose(stream);
    else if (address !== undefined) void copy(address);
    else if (button.hasAttribute("data-share")) share(this.record);
    else afterPaint(() => reportDialog(this.record.id));
  }

  /** Plays one stream; the page may list more than it sent with itself. */
  private async choose(id: string): Promise<void> {
    let stream = this.record.streams.find((s) => s.id === id);
    try {
      stream ??= (await this.ask(this.record.id)).streams.find((s) => s.id === id);
    } catch (error) {
      toast(error instanceof Failure ? error.message : t("layout.ui.failed"));
    }
    if (!stream) return;
    this.player.choose(stream);
    this.player.stage.scrollIntoView({ block: "nearest" });
  }
}

/** Returns the address of a channel's record, with the streams of a feed first if one is named. */
function recordPath(id: string, feed: string | null = null): string {
  return `/api/channels/${encodeURIComponent(id)}?${new URLSearchParams(feed ? { lang: locale, feed } : { lang: locale })}`;
}

/** Asks where a channel works once that is unfolded. */
function unfold(id: string): void {
  const fold = $<HTMLDetailsElement>("#where");
  const box = $("#panel");
  if (!fold || !box) return;
  let asked = false;
  const open = (): void => {
    if (!fold.open || asked) return;
    asked = true;
    panel(box, id);
  };
  fold.addEventListener("toggle", open);
  open();
}

/** Says what people did with the channel. */
function numbers(social: Social): void {
  const box = $("#numbers");
  if (!box) return;
  const said = [
    social.plays > 0 && count("channel.ui.plays", social.plays),
    social.favorites > 0 && count("channel.ui.favorites", social.favorites),
    social.health !== null && t("channel.ui.health", { n: social.health }),
  ].filter(Boolean);
  box.textContent = said.length > 0 ? said.join(" · ") : t("channel.ui.no_reports");
}
