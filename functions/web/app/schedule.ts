/** The page of what is on now: hours as the reader writes them, and bars that go on. */

import { $, $$ } from "./dom";
import { lines } from "./list/line";
import { fetchPage } from "./list/page";
import { roam } from "./list/roam";
import { leaving } from "./page";
import { hour, t } from "./texts";

const tick = 20_000; // ms
const rest = 60_000; // ms between two looks for what has begun: the page is cached as long

/** Makes the page quick. */
export function schedule(): void {
  const signal = leaving();
  roam();
  lines();
  localise();
  const menu = $<HTMLSelectElement>("#schedule-country");
  menu?.addEventListener("change", () => menu.form?.requestSubmit(), { signal });
  let looked = Date.now();
  const timer = setInterval(() => {
    if (!advance() || document.hidden || Date.now() - looked < rest || $("#airings")?.contains(document.activeElement)) return;
    looked = Date.now();
    void refresh(signal);
  }, tick);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Writes the hours in the zone of the reader. */
function localise(): void {
  for (const time of $$<HTMLTimeElement>("#airings time")) time.textContent = hour(time.dateTime);
  const zone = $("#zone");
  if (zone) zone.textContent = t("schedule.ui.your_times");
  advance();
}

/** Moves the bars on. Reports whether a programme is over. */
function advance(): boolean {
  let over = false;
  for (const row of $$("#airings .airing")) {
    const [from, to] = $$<HTMLTimeElement>(".airing-now time", row).map((time) => Date.parse(time.dateTime));
    const bar = $<HTMLProgressElement>("progress", row);
    if (from === undefined || to === undefined || !bar) continue;
    bar.value = Math.min(Math.max((100 * (Date.now() - from)) / (to - from), 0), 100);
    over ||= Date.now() >= to;
  }
  return over;
}

/** Shows what has begun meanwhile. */
async function refresh(signal: AbortSignal): Promise<void> {
  const page = await fetchPage(location.pathname + location.search, signal).catch(() => null);
  const next = page && $("#airings", page);
  if (!next || signal.aborted) return;
  $("#airings")?.replaceWith(document.adoptNode(next));
  localise();
}
