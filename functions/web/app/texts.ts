/**
 * The texts of the page in its language, as the server put them into it, and
 * numbers and times as that language writes them.
 */

const texts: Record<string, string> = JSON.parse(document.getElementById("texts")?.textContent || "{}");

/** Adds the texts of another page of this site, a part of which is shown on this one. */
export function learn(page: Document): void {
  Object.assign(texts, JSON.parse(page.getElementById("texts")?.textContent || "{}"));
}

/** The language of the page, such as "pt-BR". */
export const language = document.documentElement.lang || "en";

/** The tag of the locale in paths and parameters, such as "pt". */
export const locale = document.body.dataset["locale"] ?? "pt";

/** Values that stand in a text at the names in braces. */
export type Fields = Record<string, string | number>;

/** Returns the text of a key; the key itself when the page lacks it. */
export function t(key: string, fields: Fields = {}): string {
  const text = texts[key] ?? key;
  return text.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = fields[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

/** Reports whether the page has a text for a key. */
export function has(key: string): boolean {
  return key in texts;
}

const plural = new Intl.PluralRules(language);

/** Returns the text for `n` things: that of `key` with ".one" or ".other". */
export function count(key: string, n: number, fields: Fields = {}): string {
  const one = plural.select(n) === "one";
  return t(`${key}.${one ? "one" : "other"}`, { n, ...fields });
}

const numbers = new Intl.NumberFormat(language);

/** Writes a number. */
export function number(n: number): string {
  return numbers.format(n);
}

/** Twelve or twenty-four hours, as readers write them: those of the language of the page in the country that the browser names. */
const hourCycle = new Intl.DateTimeFormat(reader(), { hour: "numeric" }).resolvedOptions().hourCycle ?? "h23";
const clock = new Intl.DateTimeFormat(language, { hour: hourCycle.startsWith("h1") ? "numeric" : "2-digit", minute: "2-digit", hourCycle });
const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hourCycle });
const weekday = new Intl.DateTimeFormat(language, { weekday: "short" });
const ago = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

/** Returns the language of the browser by which hours are written. A page in English is also read by those who write hours in another way. */
function reader(): string {
  const base = language.split("-")[0];
  return navigator.languages.find((tag) => tag.split("-")[0] === base) ?? (base === "en" ? navigator.language : language);
}

/** Writes the day of the week of a moment, such as "Sat". */
export function dayOfWeek(time: number | Date): string {
  return weekday.format(time);
}

/** Writes from when until when, with the day of the week unless that is today. */
export function span(from: string, to: string, now = new Date()): string {
  const begin = new Date(from);
  const today = begin.toDateString() === now.toDateString();
  return `${today ? "" : `${dayOfWeek(begin)} `}${hour(from)} – ${hour(to)}`;
}

/** Writes the hour of a moment. */
export function hour(iso: string): string {
  return clock.format(new Date(iso));
}

/** Writes a moment with its day. */
export function moment(iso: string): string {
  return date.format(new Date(iso));
}

const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });

/** Writes a day, which is given as YYYY-MM-DD. */
export function day(iso: string): string {
  return days.format(new Date(iso));
}

/** Says how long ago a moment was, in the largest unit that fits. */
export function since(iso: string, now: number = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]] as const) {
    if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), unit);
  }
  return ago.format(0, "second"); // "now", in the words of the language
}

const regions = new Intl.DisplayNames(language, { type: "region", fallback: "code" });

/** Names a country by its code; ZZ is an unknown one. */
export function country(code: string): string {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
