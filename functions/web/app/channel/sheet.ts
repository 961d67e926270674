/** The ways to hand a channel on: its link, what the device has for it, a player for other sites, the link for media players. */

import { dialog, h, icon } from "../dom";
import { locale, t } from "../texts";
import type { ChannelFull } from "../types";

// functions/catalog/oembed.go has the same sizes and writes the same markup.
const width = 560;
const bar = 44; // the line below the picture
const sound = 240; // the height of a station, which has no picture

/** Shows the ways to hand a channel on. */
export function sheet(channel: ChannelFull): void {
  if (document.querySelector("dialog[open]")) return;
  const url = location.origin + location.pathname;
  const stream = channel.streams.find(({ play_url }) => play_url)?.play_url;
  dialog(t("channel.ui.share_title"),
    h("div", { class: "share" },
      typeof navigator.share === "function" && h("button", { type: "button", class: "button primary", click: () => void handOn(channel.name, url) }, icon("share"), t("channel.ui.share_device")),
      field(t("channel.ui.share_link"), url),
      field(t("channel.ui.share_embed"), code(channel)),
      stream && field(t("channel.ui.share_player"), stream)));
}

async function handOn(title: string, url: string): Promise<void> {
  try {
    await navigator.share({ title, url });
  } catch {
    // Who changed their mind still has the link before them.
  }
}

/** Returns the markup that shows the player of a channel in a page of another site. */
function code(channel: ChannelFull): string {
  const frame = h("iframe", {
    src: `${location.origin}${locale === "pt" ? "" : `/${locale}`}/embed/${encodeURIComponent(channel.id)}`, title: channel.name,
    width, height: channel.kind === "radio" ? sound : Math.round(width * 9 / 16) + bar, allow: "autoplay; fullscreen; picture-in-picture; screen-wake-lock", loading: "lazy",
  });
  return frame.outerHTML;
}

/** Makes a text that is copied by the button beside it, or by hand where a page may not do it. */
function field(label: string, text: string): HTMLElement {
  const shown = h("input", { class: "input", readonly: true, value: text, dir: "ltr", spellcheck: "false", focus: () => shown.select() });
  const said = h("span", { role: "status" }, t("channel.ui.share_copy"));
  const button = h("button", { type: "button", class: "button", click: () => void copied() }, icon("copy"), said);
  async function copied(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = t("channel.ui.share_copied");
    } catch {
      shown.focus();
    }
  }
  return h("div", { class: "field" }, h("label", { class: "share-label" }, h("span", {}, label), shown), button);
}
