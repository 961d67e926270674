/** Finding a country by the letters of its name. */

import { $, $$ } from "../dom";
import { count } from "../texts";
import { roam } from "./roam";

/** Makes the field above the countries leave only those that it names, and arrow keys walk over them. */
export function countries(): void {
  roam();
  const field = $<HTMLInputElement>("#filter");
  const rows = $$(".countries > li").map((row) => ({ row, name: fold($(".country-name", row)?.textContent ?? "") }));
  field?.addEventListener("input", () => {
    const words = fold(field.value).split(" ").filter(Boolean);
    let found = 0;
    for (const { row, name } of rows) {
      row.hidden = !words.every((word) => name.startsWith(word) || name.includes(` ${word}`));
      if (!row.hidden) found++;
    }
    for (const letter of $$(".letter")) letter.hidden = !$(".countries > li:not([hidden])", letter);
    const none = $("#none");
    if (none) none.hidden = found > 0;
    const said = $("#said");
    if (said) said.textContent = count("countries.ui.found", found);
  });
  field?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) $<HTMLAnchorElement>(".countries > li:not([hidden]) > a")?.click();
  });
}

/** Returns a name without accents and in lower case, its words parted by single spaces. */
function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
