/** The options of a search field without words: what was searched for and watched in this browser. */

import { call, isOwner } from "../api";
import { h, icon } from "../dom";
import { plate } from "../plate";
import { t } from "../texts";
import type { Page } from "../types";
import { searches } from "./searches";

/** A channel that was watched. */
interface Played {
  channel_id: string;
  name: string;
  logo_url: string | null;
  kind?: "tv" | "radio";
  gone?: unknown;
}

const most = 4; // channels that are offered

let played: Promise<Played[]> | undefined;

/** Returns what was watched last, which is asked for once for each document. No guest is made for it. */
export function watched(): Promise<Played[]> {
  if (!isOwner() || !document.documentElement.classList.contains("watched")) return Promise.resolve([]);
  return (played ??= call<Page<Played>>("GET", `/api/history?limit=${2 * most}`).then(({ items }) => items.filter(({ gone }) => !gone).slice(0, most), () => []));
}

/** Makes the options. `home` is the path of a search. */
export function recent(channels: Played[], home: string): HTMLElement[] {
  const said = searches();
  return [
    ...(said.length > 0 ? [group("recent", ...said.map((words) => search(words, home)), h("div", { class: "suggest suggest-clear", "data-forget": "", ...off }, t("layout.ui.recent_clear")))] : []),
    ...(channels.length > 0 ? [group("recent_watched", ...channels.map(channel))] : []),
  ];
}

const off = { role: "option", "aria-selected": "false" };

function group(what: string, ...inner: HTMLElement[]): HTMLElement {
  const head = t(`layout.ui.${what}`);
  return h("div", { role: "group", "aria-label": head }, h("p", { class: "suggest-head", "aria-hidden": "true" }, head), ...inner);
}

function search(words: string, home: string): HTMLElement {
  const drop = t("layout.ui.recent_drop", { q: words });
  return h("div", { class: "suggest-row", role: "presentation" },
    h("a", { class: "suggest", href: `${home}?q=${encodeURIComponent(words)}`, "data-search": words, tabindex: "-1", ...off },
      h("span", { class: "suggest-mark" }, icon("history")), h("span", { class: "suggest-text", dir: "auto" }, words)),
    h("div", { class: "suggest-drop", "data-forget": words, "aria-label": drop, title: drop, ...off }, icon("close")));
}

function channel({ channel_id: id, name, logo_url: logo, kind }: Played): HTMLElement {
  return h("a", { class: "suggest", href: `${document.body.dataset["channels"] ?? ""}${encodeURIComponent(id)}`, "data-channel": id, tabindex: "-1", ...off },
    plate({ id, name, logo, kind }), h("span", { class: "suggest-text", dir: "auto" }, name));
}
