/** The page to explore: a globe, and beside it what there is in the country or the city that is chosen. */

import { $, $$, iconButton, toast } from "./dom";
import type { Globe } from "./explore/globe";
import { country } from "./list/where";
import { leaving } from "./page";
import { roam } from "./list/roam";
import { remember, stopOf } from "./zap";
import { t } from "./texts";

/** Makes the page work. */
export function explore(): void {
  const [box, chosen] = [$("#globe"), $("#chosen")];
  if (!box || !chosen) return;
  roam();
  new Page(box, chosen).begin();
}

class Page {
  private globe: Globe | null = null;
  private going = new AbortController();

  constructor(private readonly box: HTMLElement, private readonly panel: HTMLElement) {}

  begin(): void {
    const signal = leaving();
    document.addEventListener("click", (event) => this.press(event), { capture: true, signal }); // before what follows links while a channel plays, which listens for longer than this page
    const at = asked(location.href);
    if (at) this.closable();
    void this.build(at, signal).catch(() => { if (!signal.aborted) this.box.hidden = true; }); // the lists have all of it
  }

  /** Loads what draws the globe, after what the page itself needs. */
  private async build(at: string, signal: AbortSignal): Promise<void> {
    const { globe = "", places = "" } = this.box.dataset;
    const [{ Globe }, { load }, home] = await Promise.all([import("./explore/globe"), import("./explore/data"), at ? "" : country().catch(() => "")]);
    const world = await load(globe, places, signal);
    if (signal.aborted) return;
    const said = $("#said");
    this.globe = new Globe(this.box, world, world.countries.get(home)?.middle ?? [0, 20], {
      open: (spot) => void this.open("city" in spot ? spot.city.id : spot.country.code),
      middle: (text) => { if (said) said.textContent = text; },
    });
    if (at) this.globe.show(at);
  }

  private press(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>("a[href]");
    if (!link) return;
    const row = link.closest<HTMLElement>("#chosen [data-id]");
    if (row) return this.play(event, row, link);
    if (link.hasAttribute("data-surprise")) return playNext();
    const at = link.pathname === location.pathname ? asked(link.href) : "";
    if (!at) return;
    event.preventDefault();
    void this.open(at);
    if (!this.panel.contains(link)) this.box.parentElement?.scrollIntoView({ block: "start" });
  }

  /** Plays a channel of the list: a station here, while one looks on, and a TV channel on its page. */
  private play(event: MouseEvent, row: HTMLElement, link: HTMLAnchorElement): void {
    remember({ title: $("#chosen-name")?.textContent?.trim() ?? "", from: location.pathname + location.search, next: null, stops: $$("[data-id]", row.parentElement!).map(stopOf) });
    if (row.dataset["kind"] !== "radio") return playNext();
    event.preventDefault();
    for (const other of $$("[aria-current]", this.panel)) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    document.dispatchEvent(new CustomEvent("mm-beside", { detail: link.pathname }));
  }

  /** Shows what there is in a country or a city; without one the world. */
  private async open(at: string): Promise<void> {
    this.going.abort();
    this.going = new AbortController();
    const signal = AbortSignal.any([this.going.signal, leaving()]);
    this.globe?.show(at);
    this.panel.setAttribute("aria-busy", "true");
    try {
      const parts = await this.fetch(at, signal);
      this.panel.replaceChildren(...parts.map((node) => document.adoptNode(node)));
      this.panel.scrollTop = 0;
      if (at) this.closable();
      history.replaceState(history.state, "", at ? `${location.pathname}?at=${encodeURIComponent(at)}` : location.pathname);
      $("#chosen-name")?.focus({ preventScroll: true });
    } catch {
      if (!signal.aborted) toast(t("layout.ui.failed"));
    } finally {
      if (!signal.aborted) this.panel.removeAttribute("aria-busy");
    }
  }

  /** Returns what stands beside the globe: the part about a place, or that of the page in which nothing is chosen. */
  private async fetch(at: string, signal: AbortSignal): Promise<Node[]> {
    const response = await fetch(at ? (this.box.dataset["parts"] ?? "") + encodeURIComponent(at) : location.pathname, { headers: { Accept: "text/html" }, signal });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return [...(at ? page.body : page.getElementById("chosen") ?? page.body).childNodes];
  }

  /** Adds the way back to the world. */
  private closable(): void {
    $(".chosen-head", this.panel)?.append(iconButton("close", t("explore.ui.close"), () => void this.open(""), { class: "icon-button chosen-close" }));
  }
}

/** Returns the country or the city that an address asks for. */
function asked(address: string): string {
  return new URL(address).searchParams.get("at") ?? "";
}

/** Makes the channel that is opened next play at once. */
function playNext(): void {
  try {
    sessionStorage.setItem("mm-play", "1");
  } catch {
    // The channel waits for a press.
  }
}
