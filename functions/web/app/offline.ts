/** Showing a page of ours where there is no network. */

import { $ } from "./dom";

/** Has the browser keep the service worker, once the page has nothing else to do, and leaves the page that says that there is no network when there is one. */
export function offline(): void {
  if ($("[data-offline]")) {
    addEventListener("online", () => location.reload());
    $("[data-retry]")?.addEventListener("click", (event) => {
      event.preventDefault();
      location.reload();
    });
  }
  if (!("serviceWorker" in navigator)) return;
  const register = (): void => void navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" }).catch(() => { /* The page does without it. */ });
  const later = (): void => void ("requestIdleCallback" in window ? requestIdleCallback(register, { timeout: 5000 }) : setTimeout(register, 1000));
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}
