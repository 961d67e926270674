/** Flags of countries, which are symbols of two files: of the countries with most channels, and of the others. */

import { s } from "./dom";

const { flags = "", flagsMore = "", common = "" } = document.body.dataset;

/** Makes the flag of a country, which says nothing by itself. Where the file has no flag for a code, its place is empty. */
export function flag(code: string): SVGSVGElement {
  const name = code.toLowerCase();
  const use = s("use", { href: `${common.split(" ").includes(name) ? flags : flagsMore}#${name}` });
  return s("svg", { class: "flag", width: 20, height: 14, "aria-hidden": "true" }, use);
}
