/**
 * The page of the operator: the reported texts with what can be done about each, a form
 * for rooms and authors, and the log. Texts and names are shown as they were written;
 * nothing of them is markup.
 */

import { Failure } from "./api";
import { $, h, toast } from "./dom";
import { finish, openBulk, type Of } from "./moderation/bulk";
import { type BulkAct, type Entry, Operator, type Order, type Reported, type Text } from "./moderation/operator";
import { Session } from "./operator/session";
import { signIn, words } from "./operator/signin";
import { count, has, moment, since, t } from "./texts";
import type { Page } from "./types";

/** The hours that can be chosen. */
const spans = [1, 24, 7 * 24, 30 * 24, 365 * 24];
const longestReason = 500;

/** What ends each kind of text. */
const ends = { comment: "remove_comment", message: "remove_message", library: "hide_library" };

const data: { channel?: string } = JSON.parse(document.getElementById("data")?.textContent || "{}");

/** Fills the page. */
export function moderation(): void {
  const box = $("#moderation");
  if (!box) return;
  const session = Session.kept();
  if (session) open(box, session);
  else enter(box);
}

/** Asks for the token and the name of the operator. */
function enter(box: HTMLElement, problem = ""): void {
  signIn(box, { metrics: null, problem, entered: (session) => open(box, session) });
}

/** Shows the desk of a session, with what ends it. */
function open(box: HTMLElement, session: Session): void {
  const leave = (problem = ""): void => {
    Session.leave();
    enter(box, problem);
  };
  const desk = new Desk(session, leave);
  box.replaceChildren(
    h("div", { class: "row moderation-as" }, h("span", {}, t("moderation.ui.as", { name: session.name })),
      h("button", { type: "button", class: "button", click: () => desk.read() }, t("moderation.ui.refresh")),
      h("button", { type: "button", class: "button", click: () => leave() }, t("moderation.ui.leave"))),
    ...desk.elements());
  desk.read();
}

/** What the operator works at: the reported texts, forms for rooms and authors, and the log. */
export class Desk {
  private readonly operator: Operator;
  private readonly reports: Pages<Reported>;
  private readonly log: Pages<Entry>;

  /** `ended` is called with the reason when the service does not accept the token any more. */
  constructor(session: Session, private readonly ended: (problem: string) => void) {
    const operator = this.operator = new Operator(session);
    this.reports = new Pages("reports", (offset) => operator.reports(offset), (it) => this.reported(it), (error) => this.fail(error));
    this.log = new Pages("log", (offset) => operator.log(offset), (it) => this.entry(it), (error) => this.fail(error));
  }

  elements(): HTMLElement[] {
    return [this.reports.element, this.others(), this.log.element];
  }

  read(): void {
    void this.reports.again();
    void this.log.again();
  }

  private fail(error: unknown): void {
    if (error instanceof Failure && error.status === 401) this.ended(words(error));
  }

  /** Makes what is shown of a reported text. */
  private reported(it: Reported): HTMLLIElement {
    const reasons = it.reasons.map(({ reason, reports }) => `${reasonName(reason)} (${reports})`).join(", ");
    const about = { kind: it.kind, channel_id: it.channel_id, id: it.id };
    return h("li", { class: "panel moderation-text", "data-text": it.id },
      h("p", { class: "moderation-head" }, h("strong", {}, t(`moderation.ui.kind_${it.kind}`)), it.channel_id !== "" && channelLink(it.channel_id),
        h("bdi", {}, it.author), h("code", { title: it.owner }, it.author_key), time(it.written_at)),
      h("p", { class: "moderation-body", dir: "auto" }, it.body),
      h("p", { class: "soft small" }, count("moderation.ui.people", it.reports), ": ", reasons, " · ", time(it.last_at)),
      this.form([
        { act: ends[it.kind], danger: true }, { act: "dismiss" }, { act: "mute", timed: true },
        ...(it.kind === "message" ? [{ act: "close_room", timed: true }] : []),
      ], () => about),
      h("div", { class: "row" }, this.bulkButton("author", () => about), it.kind !== "library" && this.bulkButton("network", () => about)));
  }

  /** Makes the button that opens what the author or the network of a text wrote. */
  private bulkButton(of: Of, about: () => Text): HTMLButtonElement {
    return h("button", { type: "button", class: "button", click: () => { void openBulk(this.operator, about(), of, () => this.read()); } }, t(`moderation.ui.bulk_${of}`));
  }

  /** Makes the fields that name a text that nobody has reported. */
  private text(): HTMLElement {
    const id = h("input", { name: "text", maxlength: 64, autocomplete: "off" });
    const channel = h("input", { name: "channel", maxlength: 256, autocomplete: "off" });
    const about = (): Text => ({ kind: id.value.trim().startsWith("cm_") ? "comment" : "message", channel_id: channel.value.trim(), id: id.value.trim() });
    return h("div", { class: "panel" }, h("label", { class: "field" }, t("moderation.ui.text"), id), h("label", { class: "field" }, t("moderation.ui.text_room"), channel),
      h("div", { class: "row" }, this.bulkButton("author", about), this.bulkButton("network", about)));
  }

  /** Makes what is shown of an entry of the log; of a removal of many texts, with what finishes and undoes it. */
  private entry(it: Entry): HTMLLIElement {
    const item = entry(it);
    const { bulk } = it;
    if (!bulk) return item;
    const state = bulk.undone_by !== null ? "bulk_undone" : bulk.done ? "" : "bulk_unfinished";
    item.append(h("p", {}, `${count("moderation.ui.bulk_comments", bulk.comments)}, ${count("moderation.ui.bulk_messages", bulk.messages)}`,
      it.network !== null && h("code", {}, " ", it.network), state !== "" && h("strong", {}, " · ", t(`moderation.ui.${state}`))));
    const acts = h("div", { class: "row" });
    if (!bulk.done && bulk.undone_by === null) acts.append(this.later("bulk_continue", () => this.operator.carryOn(it.id)));
    if (it.act === "remove_all" && bulk.undone_by === null) {
      acts.append(this.later("act_restore_all", () => this.operator.undo(it.id, t("moderation.ui.bulk_undo_reason"))));
    }
    item.append(acts);
    return item;
  }

  /** Makes a button that does an act on many texts to its end. */
  private later(label: string, begin: () => Promise<BulkAct>): HTMLButtonElement {
    const button = h("button", { type: "button", class: "button", click: async () => {
      button.disabled = true;
      try {
        const act = await finish(this.operator, await begin());
        toast(t("moderation.ui.bulk_changed", { n: act.comments + act.messages }));
      } catch (error) {
        toast(words(error));
        this.fail(error);
      }
      this.read();
    } }, t(`moderation.ui.${label}`));
    return button;
  }

  /** Makes the forms for rooms and authors that no report names. */
  private others(): HTMLElement {
    const room = h("input", { name: "channel_id", required: true, maxlength: 256, autocomplete: "off" });
    const library = h("input", { name: "library", required: true, maxlength: 64, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const author = h("input", { name: "owner", required: true, maxlength: 200, autocomplete: "off" });
    return h("section", { class: "moderation-part", "aria-labelledby": "moderation-others" }, h("h2", { id: "moderation-others" }, t("moderation.ui.others")),
      h("div", { class: "panel" }, this.form([{ act: "close_room", timed: true }, { act: "open_room" }], () => ({ channel_id: room.value.trim() }), h("label", { class: "field" }, t("moderation.ui.room"), room))),
      h("div", { class: "panel" }, this.form([{ act: "mute", timed: true }, { act: "unmute" }], () => ({ owner: author.value.trim() }), h("label", { class: "field" }, t("moderation.ui.owner"), author))),
      h("div", { class: "panel" }, this.form([{ act: "hide_library", danger: true }, { act: "restore_library" }], () => ({ id: library.value.trim() }), h("label", { class: "field" }, t("moderation.ui.library"), library))),
      this.text());
  }

  /** Makes a form that asks for a reason and, where an act lasts, for how long, with a button for each act. */
  private form(acts: { act: string; timed?: boolean; danger?: boolean }[], about: () => Omit<Order, "act" | "reason">, ...fields: HTMLElement[]): HTMLFormElement {
    const stay = (event: KeyboardEvent): void => { // Enter in the field would press the first button, whatever it does
      if (event.key !== "Enter") return;
      event.preventDefault();
      buttons[0]?.focus();
    };
    const reason = h("input", { name: "reason", required: true, maxlength: longestReason, autocomplete: "off", keydown: stay });
    const hours = h("select", { name: "hours" }, ...spans.map((n) => h("option", { value: n, selected: n === 24 }, n < 48 ? count("moderation.ui.hours", n) : count("moderation.ui.days", n / 24))));
    const wrong = h("p", { class: "wrong", role: "alert" });
    const buttons = acts.map(({ act, danger }) => h("button", { type: "submit", class: danger ? "button danger" : "button", value: act }, t(`moderation.ui.act_${act}`)));
    const submit = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault();
      const act = (event.submitter as HTMLButtonElement | null)?.value ?? "";
      const timed = acts.some((one) => one.act === act && one.timed);
      for (const button of buttons) button.disabled = true;
      wrong.textContent = "";
      try {
        const changed = await this.operator.act({ act, ...about(), ...(timed && { hours: Number(hours.value) }), reason: reason.value.trim() });
        toast(t(changed ? "moderation.ui.done" : "moderation.ui.unchanged"));
        reason.value = "";
        this.read();
      } catch (error) {
        wrong.textContent = words(error);
        this.fail(error);
      }
      for (const button of buttons) button.disabled = false;
    };
    return h("form", { class: "moderation-form", submit }, ...fields, h("label", { class: "field" }, t("moderation.ui.reason"), reason),
      acts.some(({ timed }) => timed) && h("label", { class: "field" }, t("moderation.ui.for"), hours), h("div", { class: "row" }, ...buttons), wrong);
  }
}

/** A list that is read page after page. */
class Pages<T> {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "moderation-list" });
  private readonly foot = h("p", { class: "soft", role: "status" });
  private readonly more = h("button", { type: "button", class: "button", hidden: true, click: () => { void this.next(false); } }, t("moderation.ui.more"));
  private offset = 0;

  constructor(private readonly name: string, private readonly load: (offset: number) => Promise<Page<T>>, private readonly show: (item: T) => HTMLElement, private readonly fail: (error: unknown) => void) {
    const id = `moderation-${name}`;
    this.element = h("section", { class: "moderation-part", "aria-labelledby": id }, h("h2", { id }, t(`moderation.ui.${name}`)), this.list, this.foot, this.more);
  }

  /** Reads the list from its beginning. */
  again(): Promise<void> {
    this.offset = 0;
    return this.next(true);
  }

  private async next(afresh: boolean): Promise<void> {
    try {
      const page = await this.load(this.offset);
      const items = page.items.map(this.show);
      if (afresh) this.list.replaceChildren(...items);
      else this.list.append(...items);
      this.offset = page.next_offset ?? 0;
      this.more.hidden = page.next_offset === null;
      this.foot.textContent = page.total === 0 ? t(`moderation.ui.${this.name}_empty`) : count(`moderation.ui.${this.name}_total`, page.total);
    } catch (error) {
      this.foot.textContent = words(error);
      this.fail(error);
    }
  }
}

/** Makes what is shown of an entry of the log. */
function entry(it: Entry): HTMLLIElement {
  return h("li", { class: "moderation-entry" },
    h("p", { class: "moderation-head" }, h("strong", {}, t(`moderation.ui.act_${it.act}`)), it.channel_id !== null && channelLink(it.channel_id),
      it.takedown !== null && h("code", {}, String(it.takedown)), it.author !== null && h("bdi", {}, it.author), it.author_key !== null && h("code", {}, it.author_key),
      it.until !== null && h("span", {}, t("moderation.ui.until", { time: moment(it.until) })), h("bdi", { class: "soft" }, it.by), time(it.at)),
    h("p", { dir: "auto" }, it.reason),
    it.body !== null && h("p", { class: "moderation-body soft", dir: "auto" }, it.body));
}

function reasonName(reason: string): string {
  const key = `guard.ui.reason_${reason}`;
  return has(key) ? t(key) : reason;
}

function channelLink(id: string): HTMLAnchorElement {
  return h("a", { href: (data.channel ?? "") + encodeURIComponent(id) }, id);
}

function time(iso: string): HTMLTimeElement {
  return h("time", { class: "soft", datetime: iso, title: moment(iso) }, since(iso));
}
