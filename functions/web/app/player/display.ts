/** What is written over the picture: what is tried, where one zaps to, the digits that are typed. */

import { h } from "../dom";
import { plate, tone, type Plated } from "../plate";
import { country, hour, t } from "../texts";
import type { ChannelFull, FailureCode, Programme, Stream } from "../types";
import type { Stop } from "../zap";
import type { Player } from "./player";

const shown = 3000; // ms

/** Makes the line that says how playing stands, in words. */
export function status(player: Player): { box: HTMLElement; streams(all: Stream[]): void } {
  const box = h("p", { class: "stage-status", role: "status" });
  let all: Stream[] = [];
  let notice = "";
  let timer = 0;
  const say = (): void => {
    const n = all.findIndex(({ id }) => id === player.stream?.id) + 1;
    const text = player.state === "connecting" ? connecting(n, all.length) : player.state === "waiting" ? t(navigator.onLine ? "player.ui.waiting" : "layout.ui.offline") : player.state === "ready" ? t("player.ui.ready") : "";
    const words = [notice, text].filter(Boolean).join(" ");
    if (words !== box.textContent) box.textContent = words;
  };
  player.on("fallback", ({ detail: { from, code, to } }) => {
    notice = to ? failed(all.findIndex(({ id }) => id === from.id) + 1, code) : "";
    say();
  });
  player.on("stream", say);
  player.on("state", () => {
    clearTimeout(timer);
    if (player.state === "playing") timer = window.setTimeout(() => { notice = ""; say(); }, 2 * shown);
    else if (player.state !== "connecting" && player.state !== "waiting") notice = "";
    say();
  });
  return { box, streams(list) { all = list; notice = ""; say(); } };
}

function connecting(n: number, of: number): string {
  return n > 0 && of > 1 ? t("player.ui.trying", { n, of }) : t("player.ui.connecting");
}

function failed(n: number, code: FailureCode): string {
  return t("player.ui.fallback", { n, why: t(`failure.ui.label_${code}`) });
}

/** Makes what a television shows for a moment after zapping. */
export function banner(): { box: HTMLElement; aim(stop: Stop, number: number): void; show(channel: ChannelFull, number: number): void } {
  const box = h("div", { class: "banner", hidden: true });
  let timer = 0;
  const appear = (number: number, name: string, ...rest: (Node | null)[]): void => {
    box.replaceChildren(h("span", { class: "banner-number" }, number > 0 ? String(number) : ""), h("div", {}, h("strong", { dir: "auto" }, name), ...rest.filter((node) => node !== null)));
    box.hidden = false;
    clearTimeout(timer);
    timer = window.setTimeout(() => { box.hidden = true; }, shown);
  };
  return {
    box,
    aim(stop, number) { appear(number, stop.name); },
    show(channel, number) {
      const guide = channel.guide_now;
      appear(number, channel.name, programme("now", guide?.agora), programme("then", guide?.a_seguir));
    },
  };
}

function programme(when: "now" | "then", it: Programme | null | undefined): HTMLElement | null {
  return it ? h("p", {}, h("span", {}, `${t(`player.ui.${when}`)} ${hour(it.inicio)} `), h("bdi", {}, it.titulo)) : null;
}

/** Makes the large digits of a number that is being typed, and what is said of one that leads nowhere. */
export function digits(): { box: HTMLElement; type(typed: string): void; none(number: number): void } {
  const box = h("p", { class: "digits", role: "status", hidden: true });
  let timer = 0;
  const show = (text: string, small: boolean): void => {
    clearTimeout(timer);
    box.textContent = text;
    box.classList.toggle("words", small);
    box.hidden = text === "";
  };
  return {
    box,
    type(typed) { show(typed, false); },
    none(number) {
      show(t("player.ui.no_number", { n: String(number) }), true);
      timer = window.setTimeout(() => show("", false), shown);
    },
  };
}

/** Makes what stands on the stage while there is no picture: the logo and the name, and what a station is about. */
export function cover(box: HTMLElement, ...extra: HTMLElement[]): { show(of: Plated & ChannelFull): void } {
  return {
    show(of) {
      const about = aboutOf(of);
      box.dataset["tone"] = String(tone(of.id));
      box.replaceChildren(plate(of, "stage-logo"), h("p", { class: "stage-name", dir: "auto" }, of.name), about ? h("p", { class: "stage-about", dir: "auto" }, about) : "", ...extra);
    },
  };
}

/** Returns the first genres of a station, or else its country, as channel.go does; nothing for a TV channel. */
function aboutOf({ kind, radio, country: code }: ChannelFull): string {
  if (kind !== "radio") return "";
  const names = (radio?.genres ?? []).slice(0, 3).map(({ name }) => name);
  return names.length > 0 ? names.join(" · ") : code ? country(code) : "";
}

/** Names a stream of a channel for people. */
export function streamName(stream: Stream, n: number): string {
  const words = [stream.title ?? stream.label ?? stream.feed, stream.quality].filter(Boolean).join(" · ");
  return words || t("player.ui.stream", { n });
}

