/**
 * The world, drawn at build time (scripts/assets/world.mjs): one file that browsers keep, in which each country is a
 * group of a shape, a dot or both.
 */

import { $, $$, s } from "../dom";
import { count } from "../texts";
import type { Region } from "./types";
import { name, said, tone } from "./words";

let file: Promise<Document> | null = null;

/** Returns the map as it was built. Rejects when it cannot be had; the next call tries again. */
function load(address: string): Promise<Document> {
  file ??= (async () => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(String(response.status));
    return new DOMParser().parseFromString(await response.text(), "image/svg+xml");
  })();
  file.catch(() => { file = null; });
  return file;
}

/**
 * Makes the map, whose room is there before it is drawn. Countries that nothing is known of are quiet; `lit` is told which
 * country is pointed at. Without the file the room stays empty: all that it shows is in the list beside it.
 */
export function world(address: string, regions: Region[], yours: string, lit: (code: string | null) => void): SVGSVGElement {
  const map = s("svg", { class: "world", role: "img", "aria-label": count("panel.ui.map", regions.length) });
  map.addEventListener("pointerover", (event) => lit((event.target as Element).closest("[data-country]")?.getAttribute("data-country") ?? null));
  map.addEventListener("pointerleave", () => lit(null));
  void load(address).then((built) => draw(map, built, regions, yours), () => null);
  return map;
}

function draw(map: SVGSVGElement, built: Document, regions: Region[], yours: string): void {
  const known = new Map(regions.map((region) => [region.country.toLowerCase(), region]));
  map.setAttribute("viewBox", built.documentElement.getAttribute("viewBox") ?? "");
  const quiet = $$<SVGGElement>("svg > g", built).filter(({ id }) => !known.has(id)).map(({ children }) => children[0]!.cloneNode());
  map.append(stripes(), s("g", { class: "quiet" }, ...quiet));
  const lands = [...known].flatMap(([id, region]) => {
    const shape = $<SVGGElement>(`#${CSS.escape(id)}`, built);
    return shape ? [land(region, shape, region.country === yours)] : [];
  });
  map.append(...lands.sort((a, b) => Number(a.classList.contains("dot")) - Number(b.classList.contains("dot"))));
}

/** Draws a country; the borders of a small one are a ring, so that it is seen and can be pointed at. */
function land(region: Region, shape: SVGGElement, yours: boolean): SVGGElement {
  const dot = $("circle", shape);
  const group = s("g", { class: `land ${tone(region)}${dot ? " dot" : ""}${yours ? " yours" : ""}`, "data-country": region.country },
    s("title", {}, `${name(region.country)}: ${said(region)}`));
  if (!dot) group.append(shape.firstElementChild!.cloneNode());
  else group.append(s("circle", { cx: dot.getAttribute("cx"), cy: dot.getAttribute("cy"), r: 9 }));
  return group;
}

/** Makes the stripes of a country that works at times. */
function stripes(): SVGDefsElement {
  return s("defs", {}, s("pattern", { id: "world-stripes", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "stripes-ground", width: 8, height: 8 }), s("rect", { class: "stripes", width: 4, height: 8 })));
}
