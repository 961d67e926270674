/** The shelves of the home page that differ by visitor: what was watched, and what there is in a country. */

import { call, isOwner } from "../api";
import { bareCard, cardsOf } from "../cards";
import { $ } from "../dom";
import { leaving } from "../page";
import { locale } from "../texts";
import type { Page } from "../types";
import { forget } from "../watched";
import { country, key, usual } from "./where";

/** Fills the shelves, when the page has them. */
export function near(): void {
  const box = $("#near");
  if (!box || box.hasChildNodes()) return;
  void (async () => fill(box, await country()))();
  void resume();
  box.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLSelectElement)) return;
    const code = event.target.value;
    try {
      localStorage.setItem(key, code);
    } catch {
      // It is shown for as long as the page.
    }
    void fill(box, code).then(() => $("#near-country")?.focus());
  });
  $("#surprise")?.addEventListener("click", () => {
    try {
      sessionStorage.setItem("mm-play", "1");
    } catch {
      // The channel waits for a press.
    }
  });
}

/** Shows the shelves of a country. Without any, those of the usual one. */
async function fill(box: HTMLElement, code: string): Promise<void> {
  const home = new URL($("#surprise")?.getAttribute("href") ?? "/surprise", location.href).pathname.replace(/surprise$/, "");
  const response = await fetch(`${home}near/${code}`, { headers: { Accept: "text/html" }, signal: leaving() }).catch(() => null);
  if (!response?.ok) {
    void response?.body?.cancel();
    if (response?.status === 404 && code !== usual[locale]) return fill(box, usual[locale] ?? "BR");
    box.hidden = !box.hasChildNodes();
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  box.replaceChildren(...[...page.body.children].map((element) => document.adoptNode(element)));
}

interface Played {
  channel_id: string;
  name: string;
  logo_url: string | null;
  kind?: "tv" | "radio";
  gone?: unknown;
}

/** Shows what was watched last, where something was. */
async function resume(): Promise<void> {
  const list = $("#continue .cards");
  const { classList, dataset } = document.documentElement;
  if (!list || !classList.contains("watched") || dataset["visitor"]) return;
  const page = isOwner() ? await call<Page<Played>>("GET", "/api/history?limit=12").catch(() => null) : null;
  if (page?.items.length) {
    const items = page.items.filter(({ gone }) => !gone);
    const cards = await cardsOf(items.map((item) => item.channel_id));
    const path = document.body.dataset["channels"] ?? "";
    return list.replaceChildren(...items.map(({ channel_id: id, name, logo_url: logo, kind }) => cards.get(id) ?? bareCard({ id, name, logo, kind }, path + encodeURIComponent(id))));
  }
  classList.remove("watched");
  if (page) forget();
}
