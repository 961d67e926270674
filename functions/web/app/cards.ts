/**
 * Cards of the channels that this browser keeps. The API says which they are; how they look, and what is on now, comes
 * as a piece of HTML from the server, as on every other page. It is the same for everybody who asks for these channels.
 */

import { $$, h } from "./dom";
import { plate, type Plated } from "./plate";

const most = 50; // channels that list/cards.go takes
const patience = 2000; // milliseconds: cards that come later would move what is shown by then

/** Fetches the cards of channels, by id. A channel that the server does not show has none, and none has one when the server does not answer in time. */
export async function cardsOf(ids: string[]): Promise<Map<string, HTMLElement>> {
  const query = ids.slice(0, most).sort().map(encodeURIComponent).join(",");
  if (!query) return new Map();
  const html = await fetch(`${document.body.dataset["cards"] ?? ""}?ids=${query}`, { headers: { Accept: "text/html" }, credentials: "omit", signal: AbortSignal.timeout(patience) })
    .then((answer) => answer.ok ? answer.text() : "").catch(() => "");
  const page = new DOMParser().parseFromString(html, "text/html");
  const cards = $$(".card[data-id]", page);
  return new Map(cards.map((card) => [card.dataset["id"] ?? "", document.adoptNode(card)]));
}

/** Makes the card of a channel that the server sent none of. */
export function bareCard(of: Plated, href: string, ...more: (Node | null)[]): HTMLElement {
  return h("li", { class: "card", "data-id": of.id },
    plate(of, "", { width: 160, height: 90 }),
    h("span", { class: "card-text" }, h("a", { class: "card-link", href, "data-channel": of.id, dir: "auto" }, of.name), ...more));
}
