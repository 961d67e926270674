/** Draws where a channel works, as people report it. */

import { Failure, read } from "./api";
import { $$, h, icon } from "./dom";
import { countries, environments, latency, reasons } from "./panel/charts";
import type { Panel } from "./panel/types";
import { flag } from "./flag";
import { world } from "./panel/world";
import { count, locale, moment, number, since, t } from "./texts";

export { reportDialog } from "./panel/report";

/** The panel that is shown. */
interface Shown {
  box: HTMLElement;
  channel: string;
  cancel: AbortController;
  /** What was drawn, as it came. */
  drawn: string;
}

let shown: Shown | null = null;

/** After a report, when to look for it, in milliseconds: it is counted soon, and not at once. */
const looks = [1500, 6000];

document.addEventListener("mm-reported", () => {
  const at = shown;
  for (const after of looks) setTimeout(() => { if (at === shown && at?.box.isConnected) void load(at); }, after);
});

/** Reads the health panel of a channel and draws it into a box. It is small while nothing is known. Called again, it draws what is new. */
export function panel(box: HTMLElement, channel: string): void {
  shown?.cancel.abort();
  shown = { box, channel, cancel: new AbortController(), drawn: "" };
  void load(shown);
  box.classList.add("health");
  box.setAttribute("aria-busy", "true");
  box.replaceChildren(h("p", { class: "health-verdict skeleton" }));
}

async function load(at: Shown): Promise<void> {
  try {
    const p = await read<Panel>(`/api/channels/${encodeURIComponent(at.channel)}/health?lang=${locale}`, at.cancel.signal);
    const drawn = JSON.stringify(p);
    if (drawn === at.drawn || at !== shown) return;
    at.drawn = drawn;
    at.box.replaceChildren(...draw(p, at.box.dataset["world"] ?? ""));
    at.box.removeAttribute("aria-busy");
  } catch (error) {
    if (!at.cancel.signal.aborted && !at.drawn) fail(at, error);
  }
}

/** Says that the panel cannot be read. One that is drawn stays as it is. */
function fail(at: Shown, error: unknown): void {
  const again = h("button", { type: "button", class: "button", click: () => { void load(at); } }, icon("refresh"), t("panel.ui.retry"));
  at.box.replaceChildren(
    h("p", { class: "health-verdict few", role: "alert" }, icon("alert"), h("span", {}, error instanceof Failure ? error.message : t("layout.ui.failed"))),
    h("p", {}, again));
  at.box.removeAttribute("aria-busy");
}

/** What each verdict looks like. */
const verdicts = {
  boa: ["good", "check"], lenta: ["fair", "clock"], instavel: ["fair", "alert"], geo_bloqueado: ["bad", "lock"], sem_dado: ["few", "help"],
} as const;

function draw(p: Panel, map: string): HTMLElement[] {
  if (p.regions.length === 0) {
    return [h("div", { class: "health-verdict few" }, icon("help"), h("p", {}, h("strong", {}, t("panel.ui.empty_title")), h("span", { class: "health-place" }, t("panel.ui.empty_text"))))];
  }
  const never = p.geo.tipo === "down" && p.pra_voce === "geo_bloqueado"; // it fails in every country, so this one is not blocked
  const [look, sign] = never ? (["bad", "alert"] as const) : verdicts[p.pra_voce] ?? verdicts.sem_dado;
  const elsewhere = p.geo.label || (p.geo.tipo === "ok" && count("panel.ui.works", p.regions.filter((region) => region.plays > 0).length));
  const verdict = h("div", { class: `health-verdict ${look}` }, icon(sign), h("p", {},
    h("strong", {}, t(`panel.ui.verdict_${never ? "never" : p.pra_voce}`)), elsewhere && ` ${elsewhere}`,
    h("span", { class: "health-place" }, flag(p.your_environment.country), h("span", { dir: "auto" }, p.your_environment.label))));
  const charts = [environments(p.environments, p.your_environment), latency(p.latency), reasons(p.reasons)].filter((chart) => chart !== null);
  const drawn = [verdict, frame(p, map)];
  if (charts.length) drawn.push(h("div", { class: "health-charts" }, ...charts));
  return drawn;
}

/** Makes the map, and beside it the totals with a list. */
function frame(p: Panel, map: string): HTMLElement {
  const yours = p.your_environment.country;
  const box = h("div", { class: "health-frame" },
    h("figure", {}, world(map, p.regions, yours, (code) => light(box, code)), legend()),
    h("div", { class: "health-beside" }, totals(p), countries(p.regions, yours)));
  box.addEventListener("pointerover", (event) => {
    const row = (event.target as Element).closest("li[data-country]");
    if (row) light(box, row.getAttribute("data-country"));
  });
  return box;
}

/** Shows which land and which line are of one country. */
function light(box: HTMLElement, code: string | null): void {
  for (const element of $$<HTMLElement | SVGElement>("[data-country]", box)) element.classList.toggle("lit", element.dataset["country"] === code);
}

function legend(): HTMLElement {
  return h("figcaption", { class: "health-legend" },
    ...(["good", "fair", "bad", "few"] as const).map((look) => h("span", { class: look }, t(`panel.ui.legend_${look}`))));
}

function totals(p: Panel): HTMLElement {
  return h("dl", { class: "health-totals" },
    total(t("panel.ui.plays"), number(p.plays), ago(p.last_ok_at)),
    total(t("panel.ui.fails"), number(p.fails), ago(p.last_fail_at)),
    p.health === null ? total(t("panel.ui.health"), "–", t("panel.ui.unmeasured")) : total(t("panel.ui.health"), t("panel.ui.percent", { n: p.health }), t("panel.ui.measured")));
}

function total(what: string, value: string, more: HTMLElement | string | null): HTMLElement {
  return h("div", {}, h("dt", {}, what), h("dd", {}, value), h("dd", { class: "health-more" }, more));
}

function ago(at: string | null): HTMLElement | null {
  return at ? h("time", { datetime: at, title: moment(at) }, since(at)) : null;
}
