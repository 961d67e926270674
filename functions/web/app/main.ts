/** What every page runs; what only some need is loaded by them. */

import { watchErrors } from "./errors";
import { name } from "./page";
import { install } from "./install";
import { offline } from "./offline";
import { shell } from "./shell";
import { run } from "./start";

const page = name();

/** Buttons of favorites and of the library that are pressed before what works them is loaded. */
const early: HTMLElement[] = [];
let press = (button: HTMLElement): void => void early.push(button);

watchErrors();
shell();
offline();
install();
run();
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-favorite], [data-keep]") : null;
  if (button) press(button);
});
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("#locate") : null;
  if (button) void import("./locate").then((m) => m.locate(button));
});
if (location.hash === "#locate") void import("./locate").then((m) => m.comeBack());
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-me]") : null;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const address = `${link.href}?to=${encodeURIComponent(location.pathname + location.search)}`;
  if (link.dataset["me"] === "menu") void import("./account/menu").then((m) => m.menu());
  else if (["library", "favorites", "history"].includes(name())) location.assign(address); // they show what another owner has
  else void import("./account/signin").then((m) => m.openDoor(address));
});
for (const logo of document.querySelectorAll<HTMLImageElement>(".plate > img")) if (logo.complete && logo.naturalWidth === 0) letter(logo);
document.addEventListener("error", (event) => { if (event.target instanceof HTMLImageElement && event.target.matches(".plate > img")) letter(event.target); }, true);
document.addEventListener("account", () => {
  try {
    document.documentElement.classList.toggle("in", localStorage.getItem("mm-account") !== null);
  } catch {
    // The browser keeps nothing.
  }
});

const field = document.getElementById("q");
const onceFocused = (): void => field?.addEventListener("focus", suggest, { once: true });
const suggest = (): void => void import("./suggest").then((m) => m.suggest(), onceFocused); // without a network, the field searches all the same
if (field && document.activeElement === field) suggest();
else onceFocused();

let chosen = ""; // the channel that is to play while the page stays
document.addEventListener("mm-beside", (event) => { // the texts of the player come with the channel's page
  const path = chosen = (event as CustomEvent<string>).detail;
  if (name() === "explore" || name() === "city") void import("./channel").then((m) => chosen === path ? m.playBeside(path) : undefined).catch(() => location.assign(path));
});

if (page === "channel") void import("./channel").then((m) => m.channel());
if (page === "operator") void import("./operator").then((m) => m.operator());
if (page === "moderation") void import("./moderation").then((m) => m.moderation());
if (page === "contact") void import("./contact").then((m) => m.contact());
if (page === "takedown") void import("./takedown").then((m) => m.takedown());
if (page === "reference") void import("./reference").then((m) => m.reference());
if (document.querySelector(".snippet")) void import("./build").then((m) => m.build());
if (page === "purchases") void import("./purchases").then((m) => m.purchases());
if (document.documentElement.dataset["visitor"]) void import("./account").then((m) => m.account());
if (page === "devices" || page === "device") void import("./account/devices").then((m) => m.devices());
if (page === "home" || page === "country" || page === "city" || page === "channel" || page === "public" || page === "favorites" || page === "history") void import("./keep").then((m) => {
  m.keep();
  press = m.press;
  early.forEach(press);
});
if (document.readyState === "complete") countVisit();
else addEventListener("load", countVisit);
addEventListener("storage", (event) => { if (event.key === "mm-reminders") remind(); }); // in another tab
try {
  if (localStorage.getItem("mm-reminders")) remind();
  if (localStorage.getItem("mm-claim")) void import("./account/claim").then((m) => m.endClaim());
} catch {
  // A browser without storage has no claim that another page began.
}

/** Waits for programmes of which this browser is to be reminded. */
function remind(): void {
  void import("./guide/reminders").then((m) => m.arm());
}

/** Shows letters in place of a logo that did not load. */
function letter(logo: HTMLImageElement): void {
  void import("./plate").then((m) => m.orLetters(logo));
}

/**
 * Has the visit counted, once the page has nothing else to load. Nothing depends on it, so a failure is not shown. The
 * answer is read, since a browser counts the page as loading until then.
 */
function countVisit(): void {
  fetch("/api/visit", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", credentials: "omit" })
    .then((answer) => answer.text())
    .catch(() => {});
}
