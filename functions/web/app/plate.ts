/** The plate of a channel: its logo, or else its name on its colour. */

import { $, h, icon } from "./dom";

/** A channel as its plate shows it. */
export interface Plated {
  id: string;
  name: string;
  logo: string | null;
  /** What stands in place of a logo, and how large; without it, the first letters of the name do. */
  letters?: string | undefined;
  size?: string | undefined;
  kind?: "tv" | "radio" | undefined;
}

/** Makes the plate of a channel. A logo that does not come is treated as one that is missing. */
export function plate(of: Plated, more = "", attributes: { width?: number; height?: number } = {}): HTMLElement {
  const box = h("span", { class: `plate ${more}`.trim(), "aria-hidden": "true" });
  if (of.logo) {
    box.append(h("img", { src: of.logo, alt: "", loading: "lazy", decoding: "async", ...attributes, error: () => bare(box, of) }));
    stand(box, of.logo);
  } else bare(box, of);
  return box;
}

/** Shows the letters of a channel on its plate in place of a logo. */
function bare(box: HTMLElement, of: Plated): void {
  const first = of.letters ?? initials(of.name);
  box.classList.add("bare");
  delete box.dataset["ground"];
  box.style.removeProperty("background");
  box.dataset["tone"] = String(tone(of.id));
  if (!first) box.replaceChildren(icon(of.kind ?? (of.id.startsWith("rb.") ? "radio" : "tv")));
  else if (of.letters) box.replaceChildren(h("span", { class: "letters-of", "data-size": of.size, dir: "auto" }, first));
  else box.replaceChildren(h("span", { class: "initials" }, first));
}

/** Replaces a logo that did not load, on a plate that the server wrote, by letters, as plate does for the plates of scripts. */
export function orLetters(logo: HTMLImageElement): void {
  const box = logo.closest<HTMLElement>(".plate");
  if (!box) return; // a script has replaced it
  const of = box.closest<HTMLElement>("[data-id], [data-channel]"); // a card or a row; the page of a channel has neither
  const id = of ? of.dataset["id"] ?? of.dataset["channel"] : decodeURIComponent(location.pathname.split("/").pop() ?? "");
  const name = of ? $(".card-link, .next-name, .suggest-text", of) : $("h1");
  bare(box, { id: id ?? "", name: name?.textContent?.trim() ?? "", logo: null });
}

/** Gives a plate the ground that its logo is meant for, as part/plate.go does: by the tone at the end of the logo's address. */
function stand(box: HTMLElement, logo: string): void {
  const [, tone] = /[\w-]{16}--([lda]|[0-9a-f]{6})$/.exec(logo) ?? [];
  if (tone === "d" || tone === "a") box.dataset["ground"] = tone === "d" ? "dark" : "any";
  else if (tone && tone !== "l") box.style.background = `#${tone}`;
}

/** Returns the first letters of the first two words of a name. */
function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return words.slice(0, 2).map((word) => String.fromCodePoint(word.codePointAt(0)!).toUpperCase()).join("");
}

const tones = 10; // as many as style/parts.css has

/** Returns the number of the colour of a channel's plate, as part/plate.go does: by the 32-bit FNV-1a hash of its id. */
export function tone(id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % tones;
}
