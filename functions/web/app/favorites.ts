/** The page of favorites, most recent first. */

import { toast } from "./dom";
import { keep, toggle, type Favored } from "./keep";
import { acts, link, type Shown } from "./own/rows";
import { List } from "./own/list";
import { leaving } from "./page";
import { count, t } from "./texts";

interface Favorite extends Shown {
  quality: string | null;
  favorites: number;
}

/** Shows the favorites. One that is taken out can be put back. */
export function favorites(): void {
  const list = new List<Favorite>({
    path: "/api/favorites",
    total: "favorites.ui.total",
    parts: (item) => [
      link(item, item.quality, item.favorites > 1 ? count("favorites.ui.people", item.favorites) : null),
      ...acts(item, true),
    ],
  });
  const taken = new Map<string, Favorite>();
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
  keep();
  void list.read();
}
