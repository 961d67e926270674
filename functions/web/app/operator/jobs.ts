/** The jobs: when each ran, how that went, and running one by hand. */

import { dialog, h, toast } from "../dom";
import { moment, number, t } from "../texts";
import type { Desk } from "./desk";
import { words } from "./signin";
import type { Items, Job, Report } from "./types";
import { badge, button, confirm, lines, more, part, table, time } from "./view";

export async function jobs(desk: Desk): Promise<HTMLElement[]> {
  const { items } = await desk.session.call<Items<Job>>("GET", "/api/admin/jobs");
  return [part(t("operator.ui.tab_jobs"), table(t("operator.ui.tab_jobs"),
    [t("operator.ui.job"), t("operator.ui.last_run"), t("operator.ui.took"), t("operator.ui.every"), t("operator.ui.due"), ""],
    items.map((job) => [job.name, outcome(job), job.last && seconds(job.last.seconds), span(job.every_seconds), time(job.due_at), h("div", { class: "row" },
      button(t("operator.ui.run"), () => run(desk, job.name), { "aria-label": t("operator.ui.run_job", { name: job.name }) }),
      button(t("operator.ui.reports"), () => { void reports(desk, job.name); }, { "aria-label": t("operator.ui.reports_of", { name: job.name }) }))]),
    ""))];
}

/** Makes what is shown of the last run, of one that is in progress, and of one that was cut off. */
function outcome({ last, running, cut_off, clock_ahead }: Job): HTMLElement {
  const now = running && h("p", { title: running.where }, badge("fair", t("operator.ui.running")), " ", time(running.since));
  const cut = cut_off && h("p", { title: cut_off.where }, badge("bad", t("operator.ui.cut_off")), " ", time(cut_off.since));
  if (!last) return h("div", {}, now, cut, badge("none", t("operator.ui.never")));
  return h("div", {}, now, cut, clock_ahead && h("p", {}, badge("fair", t("operator.ui.clock_ahead"))), badge(last.ok ? "good" : "bad", t(last.ok ? "operator.ui.succeeded" : "operator.ui.failed")), " ", time(last.started_at),
    !last.ok && h("p", { class: "operator-error", dir: "auto" }, last.error ?? ""));
}

function run(desk: Desk, name: string): void {
  confirm({
    title: t("operator.ui.run_job", { name }), text: t("operator.ui.run_note"), label: t("operator.ui.run"),
    fields: [{ name: "force", label: t("operator.ui.force_job"), kind: "check" }],
    run: async ({ force }) => {
      const report = await desk.session.call<Report>("POST", `/api/admin/jobs/${encodeURIComponent(name)}`, { force: force === "true" });
      toast(report.ok ? t("operator.ui.job_done", { name }) : t("operator.ui.job_failed", { name, why: report.error ?? "" }));
      desk.refresh();
    },
  });
}

/** Shows the stored reports of a job, or why they cannot be read. */
async function reports(desk: Desk, name: string): Promise<void> {
  let reports: Report[];
  try {
    ({ reports } = await desk.session.call<{ reports: Report[] }>("GET", `/api/admin/jobs/${encodeURIComponent(name)}`));
  } catch (error) {
    toast(words(error));
    return;
  }
  dialog(t("operator.ui.reports_of", { name }), ...(reports.length ? reports.map((one, n) => {
    const title = h("span", {}, moment(one.started_at), " ", badge(one.ok ? "good" : "bad", t(one.ok ? "operator.ui.succeeded" : "operator.ui.failed")));
    const entry = more(title, one.error ? h("p", { class: "operator-error", dir: "auto" }, one.error) : null, lines(JSON.stringify(one.result, null, 2), moment(one.started_at)));
    if (n === 0) entry.setAttribute("open", "");
    return entry;
  }) : [h("p", { class: "soft" }, t("operator.ui.never"))]));
}

function seconds(n: number): string {
  return t("operator.ui.seconds", { n: number(Math.round(n * 10) / 10) });
}

/** Writes how often a job runs. */
function span(n: number): string {
  if (n <= 0) return "–";
  return n % 3600 === 0 ? t("operator.ui.hours", { n: n / 3600 }) : n % 60 === 0 ? t("operator.ui.minutes", { n: n / 60 }) : t("operator.ui.seconds", { n: number(n) });
}
