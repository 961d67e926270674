/**
 * The world as tiles: each country stands about where it lies, a small one in one
 * tile and a large one in some more, so that all are seen.
 */

import { s } from "../dom";
import { count } from "../texts";
import type { Region } from "./types";
import { name, said, tone } from "./words";

/** The rows of the map from north to south: two letters for each tile, spaces for the sea. */
const rows = [
  "            GLGL      ISFO  NOSEFI",
  "USUSCACACACA        IEIMGB  DKAXEE    RURURURURURURURURU",
  "    CACACACA        GGJENLDEPLLTLVBY  RURURURURURURURU",
  "    USUSUSPM          FRBELUCZSKUA    KZKZKZ",
  "    USUSUSBM          MCCHLIATHUROMD    UZKG  MNMN",
  "  MXMX  BSTC      PTESADITSIHRRSBG  GE  TMTJ  CNCN",
  "    MXKYCUHTDOPR    GI  VASMBAMEXKMKAMAZ    CNCNCNKP  JP",
  "  GTBZ  JM  VIVGAI      MT    ALGRTR          CNCNKR  JP",
  "  SVHN      SXMFBL    MADZTNLYEG  CYLBSYIQIRAF  MOHKTW",
  "    NI      KNMSAG  EHMRMLNETDSD  PSILJOKWBHPKNPBT      MP",
  "    CR  AWCWBQGPDMCVSNGMBFBJNGCFER    SAQAAE  INBDMMLAVNGU",
  "    PA      VCLCMQGWGNCIGHTGCMSSETDJ  YEOM  MVLK  THKHPHPWFM",
  "TK    COVETTGDBB    SLLRSTGQCGUGKESO        IO    MYBN  NRMH",
  "WSAS  EC  GYSRGF          GACDRWTZ  SC            SGIDTLPGKI",
  "TONU  PEBOBRBR      SH    AOZMBIMWKM            CCCX    SBTV",
  "CKPF  CLPYBR              NABWZWMZYTMG            AUAU  VUWF",
  "  PN  CLARUY                ZALSSZ  REMU          AU  NFNCFJ",
  "        ARFK                                          NZNZ",
];

const width = 30;
const step = 24; // from one tile to the next
const side = 21; // of a tile

/** The tiles of each country, by its code. */
function places(): Map<string, [number, number][]> {
  const all = new Map<string, [number, number][]>();
  rows.forEach((row, y) => {
    for (let x = 0; x * 2 < row.length; x++) {
      const code = row.slice(x * 2, x * 2 + 2).trim();
      if (code) all.set(code, [...all.get(code) ?? [], [x * step, y * step]]);
    }
  });
  return all;
}

/** Draws the map. Countries that nothing is known of are quiet tiles; `lit` is told which country is pointed at. */
export function world(regions: Region[], yours: string, lit: (code: string | null) => void): SVGSVGElement {
  const known = new Map(regions.map((region) => [region.country, region]));
  const map = s("svg", { class: "world", viewBox: `-1 -1 ${width * step} ${rows.length * step}`, role: "img", "aria-label": count("panel.ui.map", regions.length) });
  let quiet = "";
  for (const [code, tiles] of places()) {
    const region = known.get(code);
    if (region) map.append(land(region, tiles, code === yours));
    else for (const [x, y] of tiles) quiet += `M${x + 4} ${y + 4}h${side - 8}v${side - 8}h${8 - side}z`;
  }
  map.prepend(s("path", { class: "quiet", d: quiet }));
  map.addEventListener("pointerover", (event) => lit((event.target as Element).closest("[data-country]")?.getAttribute("data-country") ?? null));
  map.addEventListener("pointerleave", () => lit(null));
  return map;
}

/** Draws the tiles of a country, each filled from below as far as plays succeed; its code stands in that nearest to the middle. */
function land(region: Region, tiles: [number, number][], yours: boolean): SVGGElement {
  const full = side * (region.health ?? 0) / 100;
  const group = s("g", { class: `land ${tone(region)}${yours ? " yours" : ""}`, "data-country": region.country },
    s("title", {}, `${name(region.country)}: ${said(region)}`));
  for (const [x, y] of tiles) {
    group.append(s("rect", { class: "empty", x, y, width: side, height: side, rx: 3 }));
    if (full > 0) group.append(s("rect", { class: "full", x, y: y + side - full, width: side, height: full, rx: 3 }));
    group.append(s("rect", { class: "edge", x, y, width: side, height: side, rx: 3 }));
  }
  const [x, y] = middle(tiles);
  group.append(s("text", { x: x + side / 2, y: y + side / 2 + 4, "text-anchor": "middle" }, region.country));
  return group;
}

/** Finds the tile nearest to the middle of all. */
function middle(tiles: [number, number][]): [number, number] {
  const mean = (axis: 0 | 1): number => tiles.reduce((sum, tile) => sum + tile[axis], 0) / tiles.length;
  const far = ([x, y]: [number, number]): number => Math.hypot(x - mean(0), y - mean(1));
  return tiles.reduce((best, tile) => far(tile) < far(best) ? tile : best);
}
