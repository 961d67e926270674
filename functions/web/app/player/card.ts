/** What stands on the stage when nothing of a channel plays: why, and what to do about it. */

import { h, icon } from "../dom";
import { has, t } from "../texts";
import type { ChannelFull, FailureCode } from "../types";
import { menu, type Section } from "./menu";

export interface Ways {
  again(): void;
  next: (() => void) | null;
  /** Sells more minutes to a network that has none left. */
  minutes(): void;
  streams: Section;
}

/** Why nothing plays: the code of a failure, or that the one who looks has no free minutes left. */
export type Why = FailureCode | "spent";

/** Fills a box with the failure of a channel and the ways on from it. */
export function card(box: HTMLElement, channel: ChannelFull, why: Why, ways: Ways): void {
  const hint = `failure.ui.hint_${why}`;
  const legacy = channel.streams.find((stream) => web(stream.legacy_url))?.legacy_url;
  const others = ways.streams.choices.length > 1 ? menu(t("player.ui.streams"), { class: "button" }, [icon("list"), t("player.ui.other_stream")], () => [ways.streams]) : null;
  box.replaceChildren(
    h("strong", {}, t(`failure.ui.label_${why}`)),
    has(hint) ? h("p", {}, t(hint)) : "",
    h("div", { class: "card-actions" },
      why === "spent" ? h("button", { type: "button", class: "button primary", "data-first": true, click: ways.minutes }, icon("clock"), t("player.ui.minutes")) : "",
      h("button", { type: "button", class: why === "spent" ? "button" : "button primary", "data-first": why !== "spent", click: ways.again }, icon("refresh"), t("player.ui.again")),
      others?.button ?? "", others?.box ?? "",
      legacy ? away(legacy, "player.ui.legacy") : "",
      web(channel.website) ? away(channel.website!, "player.ui.website") : "",
      ways.next ? h("button", { type: "button", class: "button", click: ways.next }, icon("next"), t("player.ui.next")) : ""));
}

function web(address: string | null): boolean {
  return /^https?:\/\//i.test(address ?? "");
}

function away(address: string, text: string): HTMLElement {
  return h("a", { class: "button", href: address, target: "_blank", rel: "external noopener nofollow" }, icon("external"), t(text));
}
