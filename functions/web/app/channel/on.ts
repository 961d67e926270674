/** What is on: how far it is, and what comes when it is over. */

import { $, $$ } from "../dom";
import { hour, t } from "../texts";
import type { GuideNow, Programme } from "../types";

const tick = 20_000; // ms

/**
 * Writes the times of the guide in the zone of the one who looks, and keeps it
 * up with the clock until the page shows another channel. `read` asks what is
 * on once a programme has ended.
 */
export function watchGuide(read: () => Promise<GuideNow | null | undefined>): void {
  const box = $("#on");
  if (!box) return;
  for (const time of $$<HTMLTimeElement>("time", box)) time.textContent = hour(time.dateTime);
  const zone = $("#zone", box);
  if (zone) zone.textContent = t("channel.ui.your_times");
  const slot = $("#on-now", box);
  let asking = false;
  const timer = window.setInterval(() => {
    if (!box.isConnected) return clearInterval(timer);
    const over = advance(box);
    if (!over || asking || document.hidden) return;
    asking = true;
    void read().then((guide) => { if (guide && box.isConnected) fill(box, guide); }, () => null).finally(() => { asking = false; });
  }, tick);
  if (slot) advance(box);
}

/** Moves the bar on. Reports whether what is shown is over. */
function advance(box: HTMLElement): boolean {
  const [from, to] = $$<HTMLTimeElement>("#on-now time", box).map((time) => Date.parse(time.dateTime));
  const bar = $<HTMLProgressElement>("progress", box);
  if (from === undefined || to === undefined) return begun(box);
  if (bar) bar.value = Math.min(Math.max((100 * (Date.now() - from)) / (to - from), 0), 100);
  return Date.now() >= to;
}

/** Reports whether what comes next has begun. */
function begun(box: HTMLElement): boolean {
  const next = $<HTMLTimeElement>("#on-next time", box);
  return next !== null && Date.now() >= Date.parse(next.dateTime);
}

/** Shows what a guide says of now. */
function fill(box: HTMLElement, guide: GuideNow): void {
  put($("#on-now", box), guide.agora);
  put($("#on-next", box), guide.a_seguir);
  for (const line of $$("ol li", box)) {
    const time = $<HTMLTimeElement>("time", line);
    if (guide.agora && time && Date.parse(time.dateTime) === Date.parse(guide.agora.inicio)) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  advance(box);
}

function put(slot: HTMLElement | null, programme: Programme | null): void {
  if (!slot) return;
  slot.hidden = !programme;
  const times = $(".on-times", slot);
  const what = $(".on-what", slot);
  const desc = $(".on-desc", slot);
  times?.replaceChildren(...(programme ? [time(programme.inicio), " – ", time(programme.fim)] : []));
  if (what) what.textContent = programme?.titulo ?? "";
  if (desc) desc.textContent = programme?.desc ?? "";
}

function time(iso: string): HTMLTimeElement {
  const element = document.createElement("time");
  element.dateTime = iso;
  element.textContent = hour(iso);
  return element;
}
