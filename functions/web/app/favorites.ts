/** The page of favorites, most recent first. */

import { bareCard } from "./cards";
import { $, h, toast } from "./dom";
import { keep, toggle, type Favored } from "./keep";
import { roam } from "./list/roam";
import { List } from "./own/list";
import { acts, channelPath, state, where, type Shown } from "./own/rows";
import { leaving } from "./page";
import { t } from "./texts";

/** Shows the favorites. One that is taken out can be put back. */
export function favorites(): void {
  const list = new List<Shown>({ path: "/api/favorites", total: "favorites.ui.total", row: tile });
  const taken = new Map<string, Shown>();
  document.addEventListener("favorite", (event) => {
    const { id, on } = (event as CustomEvent<Favored>).detail;
    if (on) {
      const item = taken.get(id);
      if (item) list.put(item);
      return;
    }
    const item = list.take(id);
    if (!item) return;
    taken.set(id, item);
    toast(t("favorites.ui.removed", { name: item.name }), { label: t("keep.ui.undo"), run: () => toggle(id) });
  }, { signal: leaving() });
  roam();
  keep();
  void list.read();
}

/** Makes the card of a favorite. Its buttons are one menu on a phone, as those of rows are. */
function tile(item: Shown): HTMLElement {
  const { channel_id: id, name, logo_url: logo, kind } = item;
  const card = item.card ?? bareCard({ id, name, logo, kind }, channelPath(id), h("span", { class: "card-meta" }, where(item.country)));
  const off = state(item);
  if (off) {
    $(".badge", card)?.remove();
    $(".card-meta", card)?.before(off);
  }
  $(".card-do", card)?.remove();
  card.append(h("span", { class: "card-do" }, ...acts(item, true)));
  return card;
}
