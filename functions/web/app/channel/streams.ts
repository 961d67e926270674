/** The list of the streams of a channel: which plays, and which did not. */

import { $, $$ } from "../dom";
import { language, moment, since, t } from "../texts";
import type { FailureCode } from "../types";

const day = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });

/** Says how long ago each stream was measured, and writes days as people do. */
export function tellTimes(): void {
  for (const time of $$<HTMLTimeElement>(".facts time")) {
    if (/^\d{4}-\d\d-\d\d$/.test(time.dateTime)) time.textContent = day.format(new Date(time.dateTime));
  }
  for (const time of $$<HTMLTimeElement>("#streams time")) {
    time.title = moment(time.dateTime);
    time.textContent = since(time.dateTime);
  }
}

/** Marks the stream that plays; none with null. */
export function markPlaying(id: string | null): void {
  for (const row of $$("#streams [data-row]")) {
    const plays = row.getAttribute("data-row") === id;
    if (plays) {
      row.setAttribute("aria-current", "true");
      note(row, t("channel.ui.playing"), false);
    } else if (row.hasAttribute("aria-current")) {
      row.removeAttribute("aria-current");
      note(row, "", false);
    }
  }
}

/** Marks a stream that did not play here, with why. */
export function markFailed(id: string, code: FailureCode): void {
  const row = $(`#streams [data-row="${CSS.escape(id)}"]`);
  if (!row) return;
  row.removeAttribute("aria-current");
  note(row, t(`failure.ui.label_${code}`), true);
}

function note(row: Element, text: string, bad: boolean): void {
  const box = $(".stream-note", row);
  if (!box) return;
  box.textContent = text;
  box.hidden = !text;
  box.classList.toggle("bad", bad);
}
