/** The shelves of the home page that differ by visitor: what was watched, and what there is in a country. */

import { call, isOwner } from "../api";
import { $, h } from "../dom";
import { leaving } from "../page";
import { plate } from "../plate";
import { locale } from "../texts";
import type { Page } from "../types";
import { forget } from "../watched";

const key = "mm-country";

/** The countries that most readers of a language live in, where the browser and the edge say nothing. */
const usual: Record<string, string> = { pt: "BR", en: "US", es: "ES", fr: "FR", de: "DE" };

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

/** Returns the country that was chosen, or that the edge tells, or that the languages of the browser name. */
async function country(): Promise<string> {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Then nothing was chosen.
  }
  if (chosen && /^[A-Z]{2}$/.test(chosen)) return chosen;
  const answer = await fetch("/api/geo", { credentials: "omit" }).catch(() => null); // no owner is needed, and none is made
  const { detected = null } = answer?.ok ? await answer.json() as { detected?: string | null } : {};
  return detected ?? region() ?? usual[locale] ?? "BR";
}

/** Returns the country of the first language of the browser that names one. */
function region(): string | null {
  for (const tag of navigator.languages) {
    try {
      const { region } = new Intl.Locale(tag);
      if (region && /^[A-Z]{2}$/.test(region)) return region;
    } catch {
      // No language at all.
    }
  }
  return null;
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
  const path = list.dataset["path"] ?? "";
  if (page?.items.length) return list.replaceChildren(...page.items.filter(({ gone }) => !gone).map((item) => card(item, path + encodeURIComponent(item.channel_id))));
  classList.remove("watched");
  if (page) forget();
}

function card(item: Played, href: string): HTMLElement {
  return h("li", { class: "card", "data-id": item.channel_id },
    plate({ id: item.channel_id, name: item.name, logo: item.logo_url, kind: item.kind }, "", { width: 160, height: 90 }),
    h("span", { class: "card-text" }, h("a", { class: "card-link", href, "data-channel": item.channel_id, dir: "auto" }, item.name)));
}
