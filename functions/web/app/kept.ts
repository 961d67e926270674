/**
 * Which channels the library holds, as this browser saw it last: the buttons that save
 * show it, and no page reads the library for that. It is read once where nothing is
 * known, and noted whenever the library was read or changed.
 */

const key = "mm-kept";
const most = 1000; // ids that are kept, of the 3,840 that a library can hold

let ids: Set<string> | null = null;

/** Returns the ids of the channels that the library holds; null when that is not known. */
export function kept(): Set<string> | null {
  if (ids) return ids;
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (Array.isArray(all)) ids = new Set(all.filter((id): id is string => typeof id === "string").slice(0, most));
  } catch {
    // The browser keeps nothing, or what it has is not ours.
  }
  return ids;
}

/** Notes what the library holds, or with null that it is not known, since it is that of another owner. The document gets the event "kept". */
export function noteKept(all: Iterable<string> | null): void {
  ids = all && new Set(all);
  try {
    if (ids) localStorage.setItem(key, JSON.stringify([...ids].slice(0, most)));
    else localStorage.removeItem(key);
  } catch {
    // It is known for as long as the page.
  }
  document.dispatchEvent(new CustomEvent("kept"));
}
