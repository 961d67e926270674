/** The catalog: its release, what reloads found, refused and changed, and where it comes from. */

import { h, toast } from "../dom";
import { moment, number, t } from "../texts";
import type { Desk } from "./desk";
import type { Catalog, Health, Release, Report } from "./types";
import { badge, button, code, confirm, facts, more, part, type Refusal, refusalTable, table, time } from "./view";

interface Changes {
  came: number;
  went: number;
  changed: number;
  same: number;
  examples: Record<string, string[]> | null;
}

/** The result of a reload. */
interface Result {
  version: string;
  shown: boolean;
  held: boolean;
  changes: Record<string, Changes> | null;
  refusals: Refusal[] | null;
  overridden: Refusal[] | null;
}

const path = "/api/admin/catalogo";

export async function catalog(desk: Desk): Promise<HTMLElement[]> {
  const call = desk.session;
  const [state, health, job] = await Promise.all([
    call.call<Catalog>("GET", path), call.call<Health>("GET", "/api/health"), call.call<{ reports: Report[] }>("GET", "/api/admin/jobs/catalog-reload"),
  ]);
  return [
    part(t("operator.ui.release"),
      facts([t("operator.ui.release"), code(state.shown.version)], [t("operator.ui.loaded"), time(state.shown.loaded_at)], [t("operator.ui.confirmed"), time(state.synced_at)],
        [t("operator.ui.held"), state.held ? badge("fair", t("operator.ui.held_note")) : t("operator.ui.no")]),
      state.shown.problem ? h("p", { class: "operator-error", dir: "auto" }, state.shown.problem) : null,
      h("div", { class: "row" }, button(t("operator.ui.reload"), () => reload(desk), { class: "button primary" }))),
    ...(state.refusals.length ? [part(t("operator.ui.refusals"), h("p", { class: "soft" }, t("operator.ui.refusals_note")), refusalTable(state.refusals))] : []),
    part(t("operator.ui.reloads"), ...(job.reports.length ? job.reports.map(report) : [h("p", { class: "soft" }, t("operator.ui.never"))])),
    part(t("operator.ui.releases"), releases(desk, state)),
    part(t("operator.ui.sources"), sources(health)),
  ];
}

function reload(desk: Desk): void {
  confirm({
    title: t("operator.ui.reload"), text: t("operator.ui.reload_note"), label: t("operator.ui.reload"), fields: [{ name: "force", label: t("operator.ui.force_reload"), kind: "check" }],
    run: async ({ force }) => {
      try {
        const report = await desk.session.call<Report>("POST", `${path}/reload`, { force: force === "true" });
        toast(report.ok ? t("operator.ui.job_done", { name: "catalog-reload" }) : t("operator.ui.job_failed", { name: "catalog-reload", why: report.error ?? "" }));
      } finally {
        desk.refresh();
      }
    },
  });
}

/** Makes what is shown of one reload. */
function report(it: Report, n: number): HTMLElement {
  const result = (it.result ?? {}) as Partial<Result>;
  const refusals = result.refusals ?? [], overridden = result.overridden ?? [];
  const outcome = !it.ok ? badge("bad", t("operator.ui.failed")) : result.held ? badge("fair", t("operator.ui.held")) : badge("good", t("operator.ui.succeeded"));
  const title = h("span", {}, moment(it.started_at), " ", outcome, " ", refusals.length > 0 && badge("bad", t("operator.ui.refusals_n", { n: refusals.length })));
  const entry = more(title, it.error ? h("p", { class: "operator-error", dir: "auto" }, it.error) : null,
    facts([t("operator.ui.release"), code(result.version ?? "")], [t("operator.ui.took"), t("operator.ui.seconds", { n: number(Math.round(it.seconds * 10) / 10) })]),
    result.changes ? changes(result.changes) : null, refusals.length ? refusalTable(refusals) : null,
    overridden.length ? h("div", {}, h("h3", {}, t("operator.ui.overridden")), refusalTable(overridden)) : null);
  if (n === 0) entry.setAttribute("open", "");
  return entry;
}

/** Makes the table of what a reload changed, with the first ids of each. */
function changes(all: Record<string, Changes>): HTMLElement {
  const cell = (one: Changes, what: "came" | "went" | "changed"): Node | string => {
    const examples = one.examples?.[what] ?? [];
    return examples.length ? more(number(one[what]), h("p", { dir: "auto" }, examples.join(", "))) : number(one[what]);
  };
  return table(t("operator.ui.changes"), ["", t("operator.ui.came"), t("operator.ui.went"), t("operator.ui.changed"), t("operator.ui.same")],
    Object.entries(all).map(([name, one]) => [t(`operator.ui.${name}`), cell(one, "came"), cell(one, "went"), cell(one, "changed"), number(one.same)]), "");
}

function releases(desk: Desk, { releases, shown }: Catalog): HTMLElement {
  return table(t("operator.ui.releases"), [t("operator.ui.release"), t("operator.ui.published"), t("operator.ui.channels"), t("operator.ui.stations"), t("operator.ui.streams"), t("operator.ui.playable"), ""],
    releases.map((it) => [code(it.version.slice(0, 12)), time(it.published_at), number(it.channels), number(it.stations), number(it.streams), number(it.playable),
      it.version === shown.version ? badge("good", t("operator.ui.shown_now")) : button(t("operator.ui.roll_back"), () => rollBack(desk, it), { "aria-label": t("operator.ui.roll_back_to", { version: it.version.slice(0, 12) }) })]), t("operator.ui.never"));
}

function rollBack(desk: Desk, release: Release): void {
  confirm({
    title: t("operator.ui.roll_back_to", { version: release.version.slice(0, 12) }), text: t("operator.ui.roll_back_note"), label: t("operator.ui.roll_back"), danger: true,
    run: async () => {
      await desk.session.call("POST", `${path}/rollback`, { version: release.version });
      toast(t("moderation.ui.done"));
      desk.refresh();
    },
  });
}

function sources({ sources }: Health): HTMLElement {
  return table(t("operator.ui.sources"), [t("operator.ui.file"), t("operator.ui.records"), t("operator.ui.fetched"), t("operator.ui.state")],
    Object.entries(sources).map(([name, it]) => [name, number(it.itens), time(it.fetched_at),
      it.problem ? h("span", { class: "operator-error", dir: "auto" }, it.problem) : badge(it.ausente ? "bad" : it.stale ? "fair" : "good", t(`operator.ui.${it.ausente ? "missing" : it.stale ? "stale" : "fresh"}`))]), t("operator.ui.never"));
}
