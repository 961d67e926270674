/**
 * Reminders of programmes. This browser keeps them, at most as many as `most`; an open page says when one begins, and a
 * notification does where the visitor allowed it. Every page waits for them, so what sets them is in remind.ts.
 */

import { toast } from "../dom";
import { t } from "../texts";

export interface Reminder {
  id: string; // of the channel
  name: string; // of the channel
  path: string; // of the channel's page
  title: string;
  start: string;
  stop: string;
  /** Whether a page has said that it is on. */
  told?: boolean;
}

const remindersKey = "mm-reminders";
/** How many reminders this browser keeps at most. */
export const most = 50;
const longest = 2 ** 31 - 1; // ms that a timer waits at most

/** Returns the reminders of programmes that are not over, by their start. */
export function reminders(now = Date.now()): Reminder[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(remindersKey) ?? "[]");
    return Array.isArray(all) ? all.filter(valid).filter(({ stop }) => Date.parse(stop) > now).sort((a, b) => Date.parse(a.start) - Date.parse(b.start)).slice(0, most) : [];
  } catch {
    return []; // nothing is kept, or by somebody else
  }
}

function valid(one: unknown): one is Reminder {
  const texts = ["id", "name", "path", "title", "start", "stop"] as const;
  return typeof one === "object" && one !== null && texts.every((key) => typeof (one as Record<string, unknown>)[key] === "string")
    && isHere((one as Reminder).path) && !Number.isNaN(Date.parse((one as Reminder).start));
}

/** Reports whether a path is of this site: "//elsewhere" and "/\\elsewhere" are not. */
function isHere(path: string): boolean {
  return path.startsWith("/") && URL.canParse(path, location.href) && new URL(path, location.href).origin === location.origin;
}

/** Reports whether two are of the same programme. */
export const same = (a: { id: string; start: string }, b: { id: string; start: string }) => a.id === b.id && Date.parse(a.start) === Date.parse(b.start);

/** Reports whether there is a reminder of a programme. */
export function reminds(of: { id: string; start: string }): boolean {
  return reminders().some((one) => same(one, of));
}

/** Keeps reminders in place of those before. Reports whether the browser took them. The document gets the event "reminders". */
export function keep(all: Reminder[]): boolean {
  try {
    if (all.length > 0) localStorage.setItem(remindersKey, JSON.stringify(all));
    else localStorage.removeItem(remindersKey);
  } catch {
    return false;
  }
  arm();
  document.dispatchEvent(new CustomEvent("reminders"));
  return true;
}

let timer = 0;

document.addEventListener("visibilitychange", () => arm()); // timers wait while a device sleeps

/** Waits for the next programme of which this browser is to be reminded. Called again, it takes what other tabs have changed. */
export function arm(): void {
  clearTimeout(timer);
  const now = Date.now();
  const waiting = reminders(now).filter(({ told }) => !told);
  for (const one of waiting) if (Date.parse(one.start) <= now) tell(one);
  const next = waiting.find(({ start }) => Date.parse(start) > now);
  if (next) timer = window.setTimeout(arm, Math.min(Date.parse(next.start) - now, longest));
}

const notified = new Set<string>();

/** Says that a programme is on: by a notification at once, and on the page as soon as it is seen. */
function tell(one: Reminder): void {
  const key = `${one.id} ${one.start}`;
  if (!notified.has(key)) void notify(one, key);
  notified.add(key);
  if (document.hidden) return;
  keepTold(one);
  toast(t("layout.ui.reminder", { title: one.title, channel: one.name }), { label: t("layout.ui.watch"), run: () => location.assign(one.path) }, 60_000);
}

function keepTold(one: Reminder): void {
  try {
    localStorage.setItem(remindersKey, JSON.stringify(reminders().map((other) => (same(one, other) ? { ...other, told: true } : other))));
  } catch {
    // Then the next page says it once more.
  }
}

/** Shows a notification. Pages that are open at the same time show one together, by its tag. */
async function notify(one: Reminder, tag: string): Promise<void> {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  const options = { body: one.name, tag, icon: "/icons/192.png", data: one.path };
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker) return await worker.showNotification(one.title, options);
    new Notification(one.title, options).addEventListener("click", () => location.assign(one.path));
  } catch {
    // The page says it.
  }
}
