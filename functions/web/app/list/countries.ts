/** Finding a country by its code or by the letters of its name, in any of the languages that people call it in. */

import { $, $$ } from "../dom";
import { count } from "../texts";
import { roam } from "./roam";

/** A country of the page. */
interface Row {
  row: HTMLElement;
  code: string;
  names: string[]; // folded
}

/** What people call countries beside their names in a language, and codes of three letters that they write. */
const common: Record<string, string> = {
  AE: "uae,eau", BA: "bih", BR: "bra", CD: "drc,rdc", CH: "helvetia", CI: "cote d ivoire", CV: "cabo verde", CZ: "czech republic,tchequie",
  DE: "ger,deu,brd", ES: "esp", FR: "fra", GB: "uk,great britain,england,scotland,wales,northern ireland,inglaterra,gran bretana,gra bretanha,angleterre,grossbritannien",
  GR: "hellas", IE: "eire", IR: "persia", KP: "dprk,north korea", KR: "korea,rok,south korea,coreia,corea,coree", LA: "laos", MK: "macedonia", MM: "burma,birmania",
  NL: "holland,holanda,hollande", PT: "por", RU: "russia,rossiya", SZ: "swaziland,suazilandia", TL: "east timor", TR: "turkey", TZ: "tanzania",
  US: "usa,america,eua,eeuu,ee uu,etats unis,states", VA: "vatican,vaticano", ZA: "rsa,south africa",
};

const tongues = ["pt", "en", "es", "fr", "de"];

/** Makes the field above the countries leave only those that it names, and arrow keys walk over them. */
export function countries(): void {
  roam();
  const field = $<HTMLInputElement>("#filter");
  let rows: Row[] | undefined;
  let best: HTMLElement | null = null;
  field?.addEventListener("input", () => {
    rows ??= $$(".countries > li").map(read);
    const words = fold(field.value);
    const found = find(rows, words);
    best = words ? (found.find((row) => row.code === words || row.names.includes(words)) ?? found[0])?.row ?? null : null;
    for (const row of rows) row.row.hidden = !found.includes(row);
    for (const group of $$(".group")) group.hidden = !$(".countries > li:not([hidden])", group);
    for (const aside of $$("#most, #jumps")) aside.hidden = words !== ""; // each country is shown once, and only what is found
    const none = $("#none");
    if (none) none.hidden = found.length > 0;
    const said = $("#said");
    if (said) said.textContent = count("countries.ui.found", found.length);
  });
  field?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && best) $<HTMLAnchorElement>("a", best)?.click();
  });
}

/** Reads a row of the page, with the names of its country in the languages of the pages and in its own. */
function read(row: HTMLElement): Row {
  const code = row.dataset["code"] ?? "";
  const names = [$(".country-name", row)?.textContent ?? "", ...(common[code]?.split(",") ?? [])];
  for (const tongue of [...tongues, ownTongue(code)]) {
    try {
      names.push(new Intl.DisplayNames([tongue], { type: "region" }).of(code) ?? "");
    } catch {
      // The browser has no names in this language.
    }
  }
  return { row, code: code.toLowerCase(), names: [...new Set(names.map(fold))].filter(Boolean) };
}

/** Returns the language that most people of a country speak. */
function ownTongue(code: string): string {
  try {
    return new Intl.Locale(`und-${code}`).maximize().language;
  } catch {
    return "en";
  }
}

/** Returns the countries that words name or, when none is, those whose name is nearly so. */
function find(rows: Row[], words: string): Row[] {
  const parts = words.split(" ").filter(Boolean);
  const found = rows.filter(({ code, names }) => code === words || names.some((name) => parts.every((part) => name.startsWith(part) || name.includes(` ${part}`))));
  if (found.length > 0 || words.length < 4) return found;
  const allowed = words.length < 8 ? 1 : 2;
  return rows.filter(({ names }) => names.some((name) => slips(words, name) <= allowed));
}

/** Returns how many letters of typed are too many, too few or wrong for the beginning of name. */
function slips(typed: string, name: string): number {
  let row = Array.from({ length: name.length + 1 }, (_, i) => i);
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= name.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (typed[i - 1] === name[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return Math.min(...row.slice(Math.max(0, typed.length - 2)));
}

/** Returns a name without accents and in lower case, its words parted by single spaces. */
function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
