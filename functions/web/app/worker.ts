/**
 * The service worker. It keeps the files that every page needs, whose names have a hash, and a page for each language
 * that is shown where another cannot be fetched. Lists, answers of the API and streams are never kept, and what is not
 * a page or a kept file does not pass through here.
 */

/** What the server put before this script. */
interface Shell {
  version: string;
  files: string[];
  pages: Record<string, string>; // by what the paths of a language begin with
}

interface Waiting extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface Fetching extends Waiting {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

/** What of a worker this one uses: the types of the browser are those of documents. */
interface Scope {
  shell: Shell;
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: { claim(): Promise<void>; openWindow(url: string): Promise<unknown> };
  skipWaiting(): Promise<void>;
  addEventListener(name: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(name: "fetch", listener: (event: Fetching) => void): void;
  addEventListener(name: "notificationclick", listener: (event: Waiting & { notification: Notification }) => void): void;
}

const scope = globalThis as unknown as Scope;
const { version, files, pages } = scope.shell;
const prefix = "mm-shell-";

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(activate()));

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== scope.location.origin) return;
  if (files.includes(url.pathname)) event.respondWith(kept(request));
  else if (request.mode === "navigate" && request.destination === "document") event.respondWith(shown(event, url));
});

/** A notification of a programme that began leads to its channel. */
scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path: unknown = event.notification.data;
  if (typeof path === "string" && path.startsWith("/") && !path.startsWith("//")) event.waitUntil(scope.clients.openWindow(path));
});

async function install(): Promise<void> {
  const cache = await caches.open(prefix + version);
  const fresh = Object.values(pages).map((path) => new Request(path, { cache: "reload", credentials: "omit" }));
  await cache.addAll([...files, ...fresh]);
  await scope.skipWaiting();
}

/** Deletes what earlier versions kept, and takes the pages that are open. */
async function activate(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== prefix + version) await caches.delete(name);
  }
  await scope.registration.navigationPreload?.enable();
  await scope.clients.claim();
}

async function kept(request: Request): Promise<Response> {
  return (await caches.match(request.url)) ?? fetch(request);
}

/** A page comes from the network, always; where there is none, the one in its language says so. */
async function shown(event: Fetching, url: URL): Promise<Response> {
  try {
    return (await event.preloadResponse) ?? await fetch(event.request);
  } catch (error) {
    const path = pages[url.pathname.split("/")[1] ?? ""] ?? pages[""]!;
    const page = await caches.match(path);
    if (!page) throw error;
    return page;
  }
}

export {};
