/** What was searched for in this browser, which alone has it. */

const key = "mm-searches";
const most = { searches: 6, letters: 80 };

/** Returns what was searched for, the last first. */
export function searches(): string[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(all) ? all.filter((words): words is string => typeof words === "string" && words !== "" && words.length <= most.letters).slice(0, most.searches) : [];
  } catch {
    return []; // the browser keeps nothing, or what it has is not ours
  }
}

/** Notes that something was searched for. A text that is longer than people search for is not kept. */
export function note(text: string): void {
  const words = text.trim().replace(/\s+/g, " ");
  if (words && words.length <= most.letters) write([words, ...searches().filter((other) => other.toLowerCase() !== words.toLowerCase())]);
}

/** Forgets a search, or without one all of them. */
export function forget(words?: string): void {
  write(words === undefined ? [] : searches().filter((other) => other !== words));
}

function write(all: string[]): void {
  try {
    if (all.length > 0) localStorage.setItem(key, JSON.stringify(all.slice(0, most.searches)));
    else localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing.
  }
}
