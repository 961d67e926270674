/** Which country a visitor is in, as far as pages that are the same for everybody can tell. */

import { locale } from "../texts";

/** Where the country that was chosen is kept. */
export const key = "mm-country";

/** The countries that most readers of a language live in, where the browser and the edge say nothing. */
export const usual: Record<string, string> = { pt: "BR", en: "US", es: "ES", fr: "FR", de: "DE" };

/** Returns the country that was chosen, or that the edge tells, or that the languages of the browser name. */
export async function country(): Promise<string> {
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
