/** What stands on the stage when nothing of a channel plays: why, and what to do about it. */

import { h, icon } from "../dom";
import { has, t } from "../texts";
import type { ChannelFull, FailureCode } from "../types";
import { menu, type Section } from "./menu";

export interface Ways {
  again(): void;
  /** Goes to the next channel; null when there is none. */
  next: (() => void) | null;
  /** The next channel is gone to without a press, unless it is stopped. */
  follow: boolean;
  /** Sells more minutes to a network that has none left. */
  minutes(): void;
  streams: Section;
}

/** Why nothing plays: the code of a failure, or that the visitor's network has no free minutes left. */
export type Why = FailureCode | "spent";

const wait = 5; // seconds until the next channel is gone to

/**
 * Fills a box with the failure of a channel and the ways on from it. Returns a function that takes back what would
 * happen by itself, which must be called when the box is filled anew or hidden.
 */
export function card(box: HTMLElement, channel: ChannelFull, why: Why, ways: Ways): () => void {
  const hint = `failure.ui.hint_${why}`;
  const legacy = channel.streams.find((stream) => web(stream.legacy_url))?.legacy_url;
  const others = ways.streams.choices.length > 1 ? menu(t("player.ui.streams"), { class: "button" }, [icon("list"), t("player.ui.other_stream")], () => [ways.streams]) : null;
  const spent = why === "spent";
  const onward = spent ? null : ways.next;
  const first = (primary: boolean) => ({ type: "button", class: primary ? "button primary" : "button", "data-first": primary });
  box.replaceChildren(
    h("strong", {}, t(`failure.ui.label_${why}`)),
    has(hint) ? h("p", {}, t(hint)) : "",
    h("div", { class: "card-actions" },
      spent ? h("button", { ...first(true), click: ways.minutes }, icon("clock"), t("player.ui.minutes")) : "",
      onward ? h("button", { ...first(true), click: onward }, icon("next"), t("player.ui.next_working")) : "",
      h("button", { ...first(!spent && !onward), click: ways.again }, icon("refresh"), t("player.ui.again")),
      others?.button ?? "", others?.box ?? "",
      legacy ? away(legacy, "player.ui.legacy") : "",
      web(channel.website) ? away(channel.website!, "player.ui.website") : "",
      spent && ways.next ? h("button", { type: "button", class: "button", click: ways.next }, icon("next"), t("player.ui.next")) : ""));
  return onward && ways.follow ? follow(box, onward) : () => {};
}

/** Counts down to the next channel at the end of a box. Any press on the box or key in it ends that. Nothing is counted while the page is not seen. */
function follow(box: HTMLElement, next: () => void): () => void {
  let left = wait;
  const text = h("span", {}, t("player.ui.next_soon", { n: left }));
  const stay = h("button", { type: "button", class: "link", click: stop }, t("player.ui.stay"));
  const line = h("p", { class: "card-follow" }, text, " ", stay);
  box.append(line);
  const timer = setInterval(() => {
    if (document.hidden) return;
    if (--left > 0) text.textContent = t("player.ui.next_soon", { n: left });
    else {
      stop();
      next();
    }
  }, 1000);
  box.addEventListener("pointerdown", stop, { once: true });
  box.addEventListener("keydown", stop, { once: true });
  function stop(): void {
    clearInterval(timer);
    line.remove();
  }
  return stop;
}

function web(address: string | null): boolean {
  return /^https?:\/\//i.test(address ?? "");
}

function away(address: string, text: string): HTMLElement {
  return h("a", { class: "button", href: address, target: "_blank", rel: "external noopener nofollow" }, icon("external"), t(text));
}
