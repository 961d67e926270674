/** Reading pages of the list: those that the server shows to those without scripts. */

/** Fetches a page, and calls moved with its address when a redirect led to it. It rejects when that is not to be had. */
export async function fetchPage(address: string, signal: AbortSignal, moved?: (address: string) => void): Promise<Document> {
  const response = await fetch(address, { headers: { Accept: "text/html" }, credentials: "same-origin", signal });
  if (!response.ok) throw new Error(String(response.status));
  if (response.redirected) {
    const { pathname, search } = new URL(response.url);
    moved?.(pathname + search);
  }
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Runs something unless it is called off within the time in which waiting is not noticed. */
export function soon(run: () => void): () => void {
  const timer = setTimeout(run, 200);
  return () => clearTimeout(timer);
}
