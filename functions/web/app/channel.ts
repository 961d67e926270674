/** The page of a channel: plays it, tells how that went, and goes on to other channels in place. */

import { call, Failure, read } from "./api";
import { comments } from "./comments";
import { fetchPage, recordOf, show } from "./channel/page";
import { watchGuide } from "./channel/on";
import { copy, share } from "./channel/share";
import { markFailed, markPlaying, tellTimes } from "./channel/streams";
import { Talk } from "./channel/talk";
import { $, afterPaint, toast } from "./dom";
import { panel, reportDialog } from "./panel";
import { controls, type Controls } from "./player/controls";
import { Player } from "./player/player";
import { report } from "./report";
import { count, locale, t } from "./texts";
import type { ChannelFull, Social } from "./types";

/** Makes the page of a channel work. */
export function channel(): void {
  const stage = $("#stage");
  if (stage) new Watch(stage).begin(recordOf(document), started());
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

const patience = 1200; // ms that playing waits for the order that the API gives to this caller

class Watch {
  private readonly player: Player;
  private readonly controls: Controls;
  private readonly talk = new Talk();
  private record!: ChannelFull;
  private path = location.pathname;
  private going = new AbortController();

  constructor(stage: HTMLElement) {
    this.player = new Player(stage);
    this.controls = controls(this.player, (path) => void this.zap(path, true));
    this.listen();
    document.addEventListener("click", (event) => this.press(event));
    addEventListener("popstate", () => { if (location.pathname !== this.path) void this.zap(location.pathname, false); });
  }

  /** Shows a channel whose page is there, and plays it if wanted. */
  begin(record: ChannelFull, play: boolean): void {
    const health = $("#panel");
    const said = $("#comments");
    if (health) panel(health, record.id); // what is asked for first is there first
    const asked = this.ask(record.id);
    if (said) comments(said, record.id);
    this.talk.show(record.id);
    this.take(record);
    tellTimes();
    watchGuide(async () => (await this.ask(record.id)).guide_now);
    void asked.then(({ social }) => { if (social && this.record.id === record.id) numbers(social); }, () => null);
    void this.order(asked, play);
  }

  private ask(id: string): Promise<ChannelFull> {
    const feed = new URLSearchParams(location.search).get("feed"); // whose streams come first; the address of a channel that is zapped to has none
    const query = new URLSearchParams(feed ? { lang: locale, feed } : { lang: locale });
    return read<ChannelFull>(`/api/channels/${encodeURIComponent(id)}?${query}`, this.going.signal);
  }

  private take(record: ChannelFull): void {
    if (!/^https?:\/\//i.test(record.website ?? "")) record.website = null;
    this.record = record;
    this.player.load(record);
    this.controls.show(record);
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

  /** Goes to the channel at a path of this site without leaving the page; by leaving it when that fails. What plays goes on until the next is there. */
  private async zap(path: string, push: boolean): Promise<void> {
    this.going.abort();
    const { signal } = this.going = new AbortController();
    try {
      const next = await fetchPage(path, signal);
      if (signal.aborted) return;
      if (push) history.pushState(null, "", next.path);
      this.path = next.path;
      show(next.page);
      if (!document.fullscreenElement) scrollTo({ top: 0, behavior: "instant" });
      this.begin(recordOf(document), true);
    } catch {
      if (signal.aborted) return;
      if (navigator.onLine) location.assign(path);
      else toast(t("layout.ui.offline"));
    }
  }

  private listen(): void {
    const { player } = this;
    player.on("played", ({ detail: { stream } }) => {
      markPlaying(stream.id);
      void this.tell(report(this.record.id, true));
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
    });
  }

  /** Lets the page know of a report once it is made. */
  private async tell(made: Promise<void>): Promise<void> {
    await made;
    document.dispatchEvent(new CustomEvent("mm-reported"));
  }

  private press(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>("#details a[data-channel]");
    if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      return void this.zap(link.pathname, true);
    }
    const button = (event.target as Element).closest<HTMLElement>("[data-stream], [data-copy], [data-share], [data-report]");
    if (!button) return;
    const { stream, copy: address } = button.dataset;
    if (stream !== undefined) void this.choose(stream);
    else if (address !== undefined) void copy(address);
    else if (button.hasAttribute("data-share")) void share(this.record.name);
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
