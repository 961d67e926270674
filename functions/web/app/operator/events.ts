/** The events that were not counted: letters of the outbox and dead letters, with what can be done about each. */

import { h, toast } from "../dom";
import { count, t } from "../texts";
import type { Desk } from "./desk";
import type { DeadLetter, EventAct, Letter, Queue, Report, Undelivered } from "./types";
import { badge, button, code, confirm, lines, more, part, table, time } from "./view";

export async function events(desk: Desk): Promise<HTMLElement[]> {
  const found = await desk.session.call<Undelivered>("GET", "/api/admin/events");
  const dead = found.queues.flatMap((queue) => queue.dead.map((event) => deadRow(desk, queue, event)));
  return [
    part(t("operator.ui.dead_letters"), h("p", { class: "soft" }, t("operator.ui.dead_note")),
      ...found.queues.filter(({ waiting }) => waiting).map(waitingLine),
      dead.length > 0 && h("p", {}, button(t("operator.ui.replay_all"), () => replayAll(desk))),
      ...found.queues.filter(({ problem }) => problem).map(({ subscription }) => h("p", {}, badge("bad", t("operator.ui.queue_silent", { name: subscription })))),
      table(t("operator.ui.dead_letters"), [t("operator.ui.event"), t("operator.ui.queue"), t("operator.ui.published"), t("operator.ui.why"), ""], dead, t("operator.ui.no_dead")),
      found.queues.some(({ more }) => more) && h("p", { class: "soft" }, t("operator.ui.more_dead"))),
    part(t("operator.ui.outbox"), h("p", { class: "soft" }, t("operator.ui.outbox_note")),
      found.waiting > 0 && h("p", {}, count("operator.ui.letters", found.waiting), " ", button(t("operator.ui.send_all"), () => sendAll(desk))),
      table(t("operator.ui.outbox"), [t("operator.ui.event"), t("operator.ui.topic"), t("operator.ui.of"), t("operator.ui.why"), ""],
        found.letters.map((letter) => letterRow(desk, letter)), t("operator.ui.no_letters"))),
    part(t("moderation.ui.log"), table(t("moderation.ui.log"), [t("operator.ui.act"), t("operator.ui.event"), t("operator.ui.by"), t("moderation.ui.reason"), t("operator.ui.at")],
      found.acts.map(actRow), t("moderation.ui.log_empty"))),
  ];
}

/** Says how many events of a queue wait, and since when. */
function waitingLine({ subscription, waiting, failed, oldest_at }: Queue): HTMLElement {
  return h("p", {}, count("operator.ui.queue_waits", waiting ?? 0, { name: subscription, failed: failed ?? 0 }), " ", time(oldest_at));
}

function content(id: string, body: string): HTMLElement {
  return more(code(id), lines(body, id));
}

function deadRow(desk: Desk, queue: Queue, event: DeadLetter): (Node | string | null)[] {
  const subscription = queue.subscription;
  return [content(event.id, event.body), subscription, time(event.at), h("span", { class: "operator-error", dir: "auto" }, event.failure ?? t("operator.ui.in_log")),
    h("div", { class: "row" },
      button(t("operator.ui.replay"), () => act(desk, "replay_event", event.id, subscription), { "aria-label": t("operator.ui.replay_event", { id: event.id }) }),
      button(t("operator.ui.drop"), () => act(desk, "drop_event", event.id, subscription), { class: "button danger", "aria-label": t("operator.ui.drop_event", { id: event.id }) }))];
}

function letterRow(desk: Desk, letter: Letter): (Node | string | null)[] {
  return [content(letter.id, letter.body), letter.topic, time(letter.at), letter.problem || t("operator.ui.bus_refused"), h("div", { class: "row" },
    button(t("operator.ui.send"), () => act(desk, "send_letter", letter.id), { disabled: letter.problem !== "", "aria-label": t("operator.ui.send_event", { id: letter.id }) }),
    button(t("operator.ui.drop"), () => act(desk, "drop_letter", letter.id), { class: "button danger", "aria-label": t("operator.ui.drop_event", { id: letter.id }) }))];
}

function actRow(it: EventAct): (Node | string | null)[] {
  return [t(`operator.ui.act_${it.act}`), it.body === null ? code(it.event) : content(it.event, it.body), it.by, h("span", { dir: "auto" }, it.reason), time(it.at)];
}

/** Asks before an act on one event. Dropping loses a fact and needs a reason. */
function act(desk: Desk, verb: string, id: string, subscription?: string): void {
  const drops = verb.startsWith("drop");
  confirm({
    title: t(`operator.ui.act_${verb}`), text: t(drops ? "operator.ui.drop_note" : "operator.ui.again_note"), label: t(drops ? "operator.ui.drop" : verb === "send_letter" ? "operator.ui.send" : "operator.ui.replay"),
    danger: drops, fields: [{ name: "reason", label: t("moderation.ui.reason"), required: drops }],
    run: async ({ reason }) => {
      const { changed } = await desk.session.call<{ changed: boolean }>("POST", "/api/admin/events/acts", { act: verb, id, reason, by: desk.session.name, ...(subscription && { subscription }) });
      toast(t(changed ? "moderation.ui.done" : "moderation.ui.unchanged"));
      desk.refresh();
    },
  });
}

function sendAll(desk: Desk): void {
  confirm({ title: t("operator.ui.send_all"), text: t("operator.ui.send_all_note"), label: t("operator.ui.send"), run: () => runJob(desk, "outbox-sweep", {}) });
}

function replayAll(desk: Desk): void {
  confirm({ title: t("operator.ui.replay_all"), text: t("operator.ui.replay_all_note"), label: t("operator.ui.replay"), run: () => runJob(desk, "events-replay", { force: true }) });
}

async function runJob(desk: Desk, name: string, order: { force?: boolean }): Promise<void> {
  const report = await desk.session.call<Report>("POST", `/api/admin/jobs/${name}`, order);
  toast(report.ok ? t("moderation.ui.done") : t("operator.ui.job_failed", { name, why: report.error ?? "" }));
  desk.refresh();
}
