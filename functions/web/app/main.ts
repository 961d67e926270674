/** What every page runs; what only some need is loaded by them. */

import { shell } from "./shell";

const page = document.body.dataset["page"];

/** Buttons of favorites and of the library that are pressed before what works them is loaded. */
const early: HTMLElement[] = [];
let press = (button: HTMLElement): void => void early.push(button);

shell();
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-favorite], [data-keep]") : null;
  if (button) press(button);
});

if (page === "home" || page === "country") void import("./list").then((m) => m.list());
if (page === "countries") void import("./list/countries").then((m) => m.countries());
if (page === "channel") void import("./channel").then((m) => m.channel());
if (page === "library") void import("./library").then((m) => m.library());
if (page === "favorites") void import("./favorites").then((m) => m.favorites());
if (page === "history") void import("./history").then((m) => m.history());
if (page === "home" || page === "country" || page === "channel" || page === "favorites" || page === "history") void import("./keep").then((m) => {
  m.keep();
  press = m.press;
  early.forEach(press);
});
try {
  if (localStorage.getItem("mm-claim")) void import("./account/claim").then((m) => m.endClaim());
} catch {
  // A browser without storage has no claim that another page began.
}
