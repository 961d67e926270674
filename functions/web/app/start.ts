/** What a page runs, whether the document began with it or it took the place of another. */

import { leaving, name } from "./page";

/** Loads and runs what the page that is shown needs. Pages that never take the place of another are begun by main.ts, and that of a channel by itself. */
export function run(): void {
  const page = name();
  const here = leaving(); // the page may be left before its script is there
  if (page === "home" || page === "country") void import("./list").then((m) => here.aborted || m.list());
  if (page === "schedule") void import("./schedule").then((m) => here.aborted || m.schedule());
  if (page === "schedule" && document.getElementById("timeline")) void import("./guide/timeline").then((m) => here.aborted || m.timeline());
  if (page === "explore") void import("./explore").then((m) => here.aborted || m.explore());
  if (page === "city") void import("./city").then((m) => here.aborted || m.city());
  if (page === "countries") void import("./list/countries").then((m) => here.aborted || m.countries());
  if (page === "library") void import("./library").then((m) => here.aborted || m.library());
  if (page === "public") void import("./public").then((m) => here.aborted || m.publicLibrary());
  if (page === "favorites") void import("./favorites").then((m) => here.aborted || m.favorites());
  if (page === "history") void import("./history").then((m) => here.aborted || m.history());
  if (document.documentElement.classList.contains("in") && (page === "library" || page === "favorites" || page === "history")) void import("./account/owner").then((m) => { if (!here.aborted) void m.owner(); });
}
