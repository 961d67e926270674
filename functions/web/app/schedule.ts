/** The page of what is on now: hours as the reader writes them, bars that go on, reminders, and the grid. */

import { $, $$ } from "./dom";
import { reminderList } from "./guide/list";
import { toggle } from "./guide/remind";
import { reminds, type Reminder } from "./guide/reminders";
import { lines } from "./list/line";
import { fetchPage } from "./list/page";
import { roam } from "./list/roam";
import { leaving } from "./page";
import { dayOfWeek, hour, t } from "./texts";

const tick = 20_000; // ms
const rest = 60_000; // ms between two looks for what has begun: the page is cached as long

/** Makes the page quick. */
export function schedule(): void {
  const signal = leaving();
  roam();
  lines();
  localise();
  reminderList();
  for (const button of $$<HTMLButtonElement>("[data-remind]")) remindable(button);
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

/** Writes the hours in the zone of the reader, those of another day with the day. */
function localise(): void {
  const today = new Date().toDateString();
  for (const time of $$<HTMLTimeElement>("#airings time")) {
    const at = new Date(time.dateTime);
    const first = time.matches(".found .airing-now time:first-of-type");
    time.textContent = first && at.getTime() > Date.now() && at.toDateString() !== today ? `${dayOfWeek(at)} ${hour(time.dateTime)}` : hour(time.dateTime);
  }
  const zone = $("#zone");
  if (zone) zone.textContent = t("schedule.ui.your_times");
  advance();
}

/** Makes a button set the reminder of the programme of its row. */
function remindable(button: HTMLButtonElement): void {
  const row = button.closest<HTMLElement>(".found");
  const link = row && $<HTMLAnchorElement>("a.card-link", row);
  if (!row || !link) return;
  const { id = "", start = "", stop = "" } = row.dataset;
  const of: Reminder = { id, start, stop, name: link.textContent?.trim() ?? "", path: link.getAttribute("href") ?? "", title: $(".airing-title", row)?.textContent ?? "" };
  const draw = (on: boolean): void => button.setAttribute("aria-pressed", String(on));
  button.addEventListener("click", () => draw(toggle(of)));
  document.addEventListener("reminders", () => draw(reminds(of)), { signal: leaving() });
  draw(reminds(of));
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
  for (const button of $$<HTMLButtonElement>("[data-remind]")) remindable(button);
  localise();
}
