/** The lists beside the map, each line with its drawing: countries, browsers, waits, reasons. */

import { h, s } from "../dom";
import { count, language, since, t } from "../texts";
import type { Environment, Latency, Reason, Region, Tally } from "./types";
import { flag } from "../flag";
import { name, said, tone } from "./words";

/** How many lines a chart shows before one asks for all. */
const first = 5;

/** Draws successes as a thick bar, and failures as a thin one after it. */
function bar({ plays, fails }: Tally): SVGSVGElement {
  const part = 100 * plays / Math.max(1, plays + fails);
  return s("svg", { class: "bar", "aria-hidden": "true" },
    s("rect", { class: "plays", width: `${part}%`, height: 8, rx: 2 }),
    s("rect", { class: "fails", x: `${part}%`, y: 2.5, width: `${100 - part}%`, height: 3, rx: 1 }));
}

/** Lists the countries that the map shows, and those that it has no place for. */
export function countries(regions: Region[], yours: string): HTMLUListElement {
  return h("ul", { class: "health-countries", tabindex: 0, "aria-label": t("panel.ui.countries") }, ...regions.map((region) =>
    h("li", { class: tone(region), "data-country": region.country },
      flag(region.country),
      h("span", { class: "health-name" }, name(region.country), mine(region.country === yours)),
      h("span", { class: "health-said" }, said(region)),
      bar(region))));
}

function mine(yes: boolean): HTMLElement | null {
  return yes ? h("span", { class: "health-you" }, t("panel.ui.you")) : null;
}

/** Draws a bar for each browser, system and country. */
export function environments(all: Environment[], yours: Environment): HTMLElement | null {
  const same = (e: Environment): boolean => e.browser === yours.browser && e.os === yours.os && e.country === yours.country;
  return chart(t("panel.ui.environments"), all.map((e) => h("li", { class: tone(e) },
    h("span", { class: "health-name", dir: "auto" }, e.label, mine(same(e))), h("span", { class: "health-said" }, said(e)), bar(e))));
}

/** The longest wait that has a place of its own, in milliseconds, and where the grades end. */
const longest = 5000;
const grades = [600, 1500, 3500];

/** Where a wait stands on its line, in percent: short ones have more room. */
function place(ms: number): number {
  return 100 * Math.sqrt(Math.min(ms, longest) / longest);
}

const milliseconds = new Intl.NumberFormat(language, { style: "unit", unit: "millisecond" });
const seconds = new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 });

function wait(ms: number): string {
  return ms < 1000 ? milliseconds.format(ms) : seconds.format(ms / 1000);
}

const tones = { otima: "good", boa: "good", lenta: "fair", ruim: "bad" };

/** Draws how long each country waits for a playlist: a dot on a line that is parted where the grades end. */
export function latency(all: Latency[]): HTMLElement | null {
  return chart(t("panel.ui.latency"), all.map((one) => h("li", { class: tones[one.grade], title: count("panel.ui.samples", one.samples) },
    h("span", { class: "health-name" }, flag(one.country), name(one.country)),
    h("span", { class: "health-said" }, `${wait(one.avg_ms)} · ${one.grade_label}`),
    s("svg", { class: "bar", "aria-hidden": "true" },
      s("rect", { class: "line", y: 3.5, width: "100%", height: 1 }),
      ...grades.map((ms) => s("rect", { class: "line", x: `${place(ms)}%`, width: 1, height: 8 })),
      s("circle", { class: "dot", cx: `${place(one.avg_ms) * .96 + 2}%`, cy: 4, r: 4 })))));
}

/** Tells why plays failed, and what to do about it. */
export function reasons(all: Reason[]): HTMLElement | null {
  return chart(t("panel.ui.reasons"), all.map((reason) => h("li", { class: "health-reason" },
    h("span", { class: "health-name" }, reason.label),
    h("span", { class: "health-said" }, count("panel.ui.times", reason.count), reason.last_at && ` · ${since(reason.last_at)}`),
    h("span", { class: "health-hint" }, reason.hint))));
}

/** Makes a chart of lines, of which those after the first few wait to be asked for. */
function chart(title: string, lines: HTMLLIElement[]): HTMLElement | null {
  if (!lines.length) return null;
  return h("section", { class: "health-chart" }, h("h3", {}, title), h("ul", {}, ...lines.slice(0, first)),
    lines.length > first && h("details", {}, h("summary", {}, t("panel.ui.more", { n: lines.length })), h("ul", {}, ...lines.slice(first))));
}
