/** Flags of countries, which are symbols of one file. */

import { s } from "./dom";

/** Makes the flag of a country, which says nothing by itself. Where the file has no flag for a code, its place is empty. */
export function flag(code: string): SVGSVGElement {
  const use = s("use", { href: `${document.body.dataset["flags"] ?? ""}#${code.toLowerCase()}` });
  return s("svg", { class: "flag", width: 20, height: 14, "aria-hidden": "true" }, use);
}
