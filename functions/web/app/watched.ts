/** Whether this browser has watched something, which the home page knows before it is painted. */

const key = "mm-watched";

/** Notes that something was watched, for the next home page. */
export function watched(): void {
  try {
    localStorage.setItem(key, "1");
  } catch {
    // The home page has one shelf less.
  }
}

/** Notes that nothing of what was watched is left. */
export function forget(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was noted.
  }
}
