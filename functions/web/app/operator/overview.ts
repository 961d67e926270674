/** What needs the operator's attention first, each with the tab where something can be done about it. */

import { h } from "../dom";
import { count, t } from "../texts";
import type { Page } from "../types";
import type { Desk } from "./desk";
import { words } from "./signin";
import type { Catalog, Health, Items, Job, Undelivered } from "./types";
import { badge, button, facts, part, time } from "./view";

/** Something that needs attention. */
interface Concern {
  look: "bad" | "fair";
  text: string;
  tab: string;
}

/** How long a letter may wait before it is a concern, in milliseconds: the job that sends them runs every five minutes. */
const patience = 10 * 60_000;

export async function overview(desk: Desk): Promise<HTMLElement[]> {
  const concerns: Concern[] = [];
  const call = <T>(path: string): Promise<T> => desk.session.call<T>("GET", path);
  /** Looks at one part of the service; a part that cannot be read is a concern and does not hide the others. */
  const look = async <T>(tab: string, path: string, judge: (found: T) => Concern[]): Promise<T | null> => {
    try {
      const found = await call<T>(path);
      concerns.push(...judge(found));
      return found;
    } catch (error) {
      if ((error as { status?: number }).status === 401) throw error;
      concerns.push({ look: "bad", tab, text: t("operator.ui.unreadable", { part: t(`operator.ui.tab_${tab}`), why: words(error) }) });
      return null;
    }
  };
  const [health, catalog] = await Promise.all([
    look<Health>("catalog", "/api/health", ofHealth), look<Catalog>("catalog", "/api/admin/catalogo", ofCatalog),
    look<Items<Job>>("jobs", "/api/admin/jobs", ({ items }) => items.flatMap(ofJob)), look<Undelivered>("events", "/api/admin/events", ofEvents),
    look<{ items: unknown[] }>("payments", "/api/admin/payments/open", ({ items }) => some(items.length, "payments_open", "payments", "bad")),
    look<Page<unknown>>("moderation", "/api/admin/moderation/reports?limit=1", ({ total }) => some(total, "texts_reported", "moderation", "fair")),
  ]);
  concerns.sort((a, b) => Number(b.look === "bad") - Number(a.look === "bad"));
  const list = concerns.map(({ look, text, tab }) => h("li", {}, badge(look, t(`operator.ui.look_${look}`)), h("span", { dir: "auto" }, text),
    button(t("operator.ui.open"), () => desk.open(tab), { "aria-label": t("operator.ui.open_tab", { tab: t(`operator.ui.tab_${tab}`) }) })));
  return [
    part(t("operator.ui.attention"), list.length ? h("ul", { class: "operator-concerns" }, ...list) : h("p", {}, badge("good", t("operator.ui.all_well")))),
    part(t("operator.ui.state"), facts(
      [t("operator.ui.release"), catalog?.shown.version.slice(0, 12) ?? ""], [t("operator.ui.confirmed"), time(catalog?.synced_at)],
      [t("operator.ui.blocks"), String(catalog?.blocks ?? "")], [t("operator.ui.database"), health && (health.database ? badge("good", t("operator.ui.answers")) : badge("bad", t("operator.ui.silent")))])),
  ];
}

/** Returns a concern about some things, or none. */
function some(n: number, what: string, tab: string, look: "bad" | "fair"): Concern[] {
  return n > 0 ? [{ look, tab, text: count(`operator.ui.${what}`, n) }] : [];
}

function ofHealth({ catalog, sources, database, behind }: Health): Concern[] {
  const found: Concern[] = [];
  const add = (look: Concern["look"], text: string): void => void found.push({ look, tab: "catalog", text });
  if (!database) add("bad", t("operator.ui.database_silent"));
  if (catalog.problem) add("bad", catalog.problem);
  else if (catalog.stale) add("bad", t("operator.ui.catalog_stale"));
  if (behind.length) add("fair", t("operator.ui.behind", { parts: behind.join(", ") }));
  for (const [name, it] of Object.entries(sources)) {
    if (it.problem) add("fair", `${name}: ${it.problem}`);
    else if (it.stale) add("fair", t("operator.ui.source_stale", { name }));
  }
  return found;
}

function ofCatalog({ held, shown, refusals }: Catalog): Concern[] {
  const found = some(refusals.length, "refused", "catalog", "bad");
  if (held) found.push({ look: "fair", tab: "catalog", text: t("operator.ui.held_note") });
  if (shown.problem) found.push({ look: "bad", tab: "catalog", text: shown.problem });
  return found;
}

function ofJob({ name, every_seconds, last, due_at, running, cut_off }: Job): Concern[] {
  if (cut_off) return [{ look: "bad", tab: "jobs", text: t("operator.ui.job_cut_off", { name }) }];
  if (last && !last.ok) return [{ look: "bad", tab: "jobs", text: t("operator.ui.job_failed", { name, why: last.error ?? "" }) }];
  const late = due_at !== null && Date.now() - new Date(due_at).getTime() > every_seconds * 1000;
  return late && !running ? [{ look: "fair", tab: "jobs", text: t("operator.ui.job_late", { name }) }] : [];
}

function ofEvents({ alert, letters, queues }: Undelivered): Concern[] {
  const late = letters.filter(({ at }) => Date.now() - new Date(at).getTime() > patience).length;
  const slow = queues.filter(({ oldest_at }) => oldest_at !== null && Date.now() - new Date(oldest_at).getTime() > patience);
  const silent = queues.some(({ problem }) => problem !== "");
  return [
    ...some(alert.dead, "events_dead", "events", "bad"), ...some(slow.reduce((n, queue) => n + (queue.waiting ?? 0), 0), "events_late", "events", "bad"),
    ...some(late, "letters_late", "events", "fair"), ...(silent ? [{ look: "bad" as const, tab: "events", text: t("operator.ui.bus_silent") }] : []),
  ];
}
