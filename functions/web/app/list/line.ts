/** Remembering the list when one of its channels is opened, so that the player zaps through it. */

import { $, $$ } from "../dom";
import { leaving } from "../page";
import { remember, stopOf } from "../zap";

/** Makes the list that a channel is opened from be remembered, and the channel play at once. */
export function lines(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.card-link") : null;
    const cards = link?.closest(".cards");
    if (!link || !cards) return;
    const next = cards.id === "cards" ? $("#more")?.getAttribute("href") ?? null : null;
    remember({ title: titleOf(cards), from: location.pathname + location.search, next, stops: $$(".card[data-id]", cards).map(stopOf) });
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    try {
      sessionStorage.setItem("mm-play", "1");
    } catch {
      // Then the channel waits for a press.
    }
  }, { signal: leaving() });
}

function titleOf(cards: Element): string {
  return ($("h2", cards.closest("section") ?? cards) ?? $("h1"))?.textContent?.trim() ?? "";
}
