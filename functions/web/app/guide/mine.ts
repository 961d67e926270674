/** What the visitor keeps, as choices of the menu of the grid: the favorites and the folders of the library. */

import { call, isOwner } from "../api";
import { h } from "../dom";
import { t } from "../texts";
import type { Page } from "../types";

/** What is read of a library. */
interface Library {
  categories: { id: string; name: string; groups: { items: { channel_id: string; stale: boolean }[] }[] }[];
}

const favorites = "favorites";
const mark = "of:"; // before what is not a country
const most = 300; // channels of a grid

/** Adds the choices, and goes where one leads. The one that the page shows is chosen. */
export async function mine(menu: HTMLSelectElement, of: string): Promise<void> {
  menu.addEventListener("change", (event) => {
    if (!menu.value.startsWith(mark)) return;
    event.stopImmediatePropagation(); // the form knows countries alone
    location.assign(`${location.pathname}?${new URLSearchParams({ view: "timeline", of: menu.value.slice(mark.length) })}`);
  }, { capture: true });
  if (!isOwner()) return;
  const library = await call<Library>("GET", "/api/library").catch(() => null);
  const option = (value: string, text: string) => h("option", { value: mark + value, selected: value === of }, text);
  menu.append(h("optgroup", { label: t("schedule.ui.mine") }, option(favorites, t("schedule.ui.favorites")), ...(library?.categories ?? []).map(({ id, name }) => option(id, name))));
}

/** Returns the channels of the favorites or of a folder, each once. */
export async function channelsOf(of: string): Promise<string[]> {
  const ids = new Set<string>();
  if (of === favorites) {
    for (let at: number | null = 0; at !== null && ids.size < most;) {
      const page: Page<{ channel_id: string }> = await call("GET", `/api/favorites?limit=50&offset=${at}`);
      for (const { channel_id } of page.items) ids.add(channel_id);
      at = page.next_offset;
    }
  } else {
    const library = await call<Library>("GET", "/api/library");
    const folder = library.categories.find(({ id }) => id === of);
    for (const group of folder?.groups ?? []) for (const { channel_id, stale } of group.items) if (!stale) ids.add(channel_id);
  }
  return [...ids].slice(0, most);
}
