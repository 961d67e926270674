/** The page of a city: its stations play here, while one looks on. */

import { $, $$ } from "./dom";
import { more } from "./list/more";
import { roam } from "./list/roam";
import { leaving } from "./page";
import { remember, stopOf } from "./zap";

/** Makes the page work. */
export function city(): void {
  roam();
  more();
  document.addEventListener("click", play, { capture: true, signal: leaving() }); // before what follows links while a channel plays
}

/** Plays the station whose card was pressed. */
function play(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !(event.target instanceof Element)) return;
  const link = event.target.closest<HTMLAnchorElement>("#cards a.card-link");
  if (!link) return;
  event.preventDefault();
  const cards = $$("#cards .card[data-id]");
  remember({ title: $("h1")?.textContent?.trim() ?? "", from: location.pathname + location.search, next: null, stops: cards.map(stopOf) });
  for (const other of $$("#cards [aria-current]")) other.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  document.dispatchEvent(new CustomEvent("mm-beside", { detail: link.pathname }));
}
