/**
 * The list of messages: at most as many as a visitor scrolls back through, drawn a few at
 * a time in each frame, so that a thousand at once hold no frame up. The browser lays out
 * only those in sight (content-visibility). Its scroller is a reversed column, which
 * stays at the newest message by itself until the visitor scrolls back.
 *
 * Texts of visitors become text nodes, in elements of their own that isolate their
 * direction, and never markup or links.
 */

import { h, icon, iconButton } from "../dom";
import { count, hour, moment, t } from "../texts";
import type { Message } from "./connection";

const most = 1000; // messages in the list
const perFrame = 20; // messages that are drawn in one frame
const few = 5; // messages that are announced one by one when they come at once
const near = 48; // pixels from the end within which new messages are in sight

export class Log {
  readonly element: HTMLElement;
  private readonly list = h("ol", { class: "chat-list" });
  private readonly scroller: HTMLElement;
  private readonly jump: HTMLButtonElement;
  private readonly rows = new Map<string, HTMLLIElement>();
  private waiting: Message[] = [];
  private stored: HTMLLIElement[] = []; // rows of messages that were sent, and wait to be drawn as stored
  private frame = 0;
  private announcing = 0;
  private unseen = 0;
  private loading = true;

  /** `act` is called for the message about which the visitor wants to do something. */
  constructor(private readonly act: (message: Message) => void) {
    this.scroller = h("div", {
      class: "chat-scroller", role: "log", "aria-live": "off", "aria-label": t("chat.ui.messages"), tabindex: 0,
      keydown: (event: KeyboardEvent) => this.steer(event), scroll: () => this.scrolled(),
    }, this.list);
    this.jump = h("button", { type: "button", class: "chat-jump", hidden: true, click: () => this.toEnd() });
    this.element = h("div", { class: "chat-log" }, this.scroller, this.jump);
  }

  /** Shows messages in their order; with `afresh`, in place of those that are shown. */
  add(messages: Message[], afresh: boolean): void {
    if (afresh) this.clear();
    this.waiting.push(...messages);
    this.waiting = this.waiting.slice(-most - perFrame);
    if (this.waiting.length > few) this.quiet();
    this.schedule();
  }

  /** Takes all messages away but those on their way. */
  clear(): void {
    this.waiting = [];
    this.rows.clear();
    this.list.replaceChildren(...this.list.querySelectorAll(":scope > .sending"));
    this.loading = true;
    this.quiet();
  }

  /** Shows what this browser is sending, and returns its row. */
  pending(name: string, body: string): HTMLLIElement {
    const row = this.row({ id: "", autor: name, body, at: new Date().toISOString(), mine: true });
    row.classList.add("sending");
    this.list.querySelector(".chat-note")?.remove();
    this.list.append(row);
    this.toEnd();
    return row;
  }

  /** Takes the row of a message on its way away, in the frame that draws what was added so far: the message as it was stored. */
  settle(row: HTMLLIElement): void {
    this.stored.push(row);
    this.schedule();
  }

  /** Shows what there is instead of messages. */
  empty(text: string): void {
    if (this.list.childElementCount === 0 && this.waiting.length === 0) this.list.replaceChildren(h("li", { class: "chat-note" }, text));
  }

  /** Takes the messages of a name away. */
  hide(name: string): void {
    for (const [id, row] of this.rows) if (row.dataset["name"] === name) this.drop(id);
  }

  private schedule(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const fresh = document.createDocumentFragment(); // in which a removed message already takes the place of its text
    for (const message of this.waiting.splice(0, perFrame)) {
      const old = this.rows.get(message.id);
      if (!old && message.apagada && !this.loading) continue; // it left the list before
      const row = this.row(message);
      this.rows.set(message.id, row);
      if (old) old.replaceWith(row);
      else fresh.append(row);
    }
    this.place(fresh);
    if (this.waiting.length > 0) return this.schedule();
    for (const row of this.stored.splice(0)) row.remove();
    this.announce();
  }

  /** Announces nothing for now: what was there before, or missed, would take minutes to be read out. */
  private quiet(): void {
    clearTimeout(this.announcing);
    this.scroller.setAttribute("aria-live", "off");
  }

  /** Announces what comes from now on. */
  private announce(): void {
    this.loading = false;
    clearTimeout(this.announcing);
    this.announcing = window.setTimeout(() => this.scroller.setAttribute("aria-live", "polite"));
  }

  /** Puts rows at the end, before those that are on their way, and lets go of the oldest. */
  private place(fresh: DocumentFragment): void {
    const n = fresh.childElementCount;
    if (n === 0) return;
    const back = this.away();
    this.list.querySelector(".chat-note")?.remove();
    const sending = this.list.querySelector(":scope > .sending");
    this.list.insertBefore(fresh, sending);
    for (const id of this.rows.keys()) {
      if (this.rows.size <= most) break;
      this.drop(id);
    }
    if (!back || this.loading) return;
    this.unseen += n;
    this.jump.replaceChildren(icon("chevron-down"), count("chat.ui.unseen", this.unseen));
    this.jump.hidden = false;
  }

  private drop(id: string): void {
    this.rows.get(id)?.remove();
    this.rows.delete(id);
  }

  private row(message: Message): HTMLLIElement {
    const { id, autor, body, at, mine, apagada } = message;
    const head = h("p", { class: "chat-who" }, h("bdi", { class: "chat-name" }, autor),
      mine ? h("span", { class: "health-you" }, t("chat.ui.yours")) : null, h("time", { datetime: at, title: moment(at) }, hour(at)));
    const text = h("p", { class: apagada ? "chat-body removed" : "chat-body", dir: "auto" }, apagada ? t("chat.ui.removed") : body);
    const able = !mine && !apagada && id !== "";
    const more = able ? iconButton("more", t("chat.ui.more"), () => this.act(message), { class: "icon-button chat-more", tabindex: -1 }) : null;
    return h("li", { class: mine ? "chat-message mine" : "chat-message", tabindex: -1, "data-message": id, "data-name": autor }, head, more, text);
  }

  /** Arrow keys go from message to message, Enter opens what can be done with one; at either end they leave the list. */
  private steer(event: KeyboardEvent): void {
    const rows = [...this.list.children] as HTMLElement[];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Enter" && at >= 0 && event.target === rows[at]) {
      rows[at]!.querySelector<HTMLElement>(".chat-more")?.click();
      return event.preventDefault();
    }
    const to = { ArrowUp: at < 0 ? rows.length - 1 : at - 1, ArrowDown: at < 0 ? -1 : at + 1, Home: 0, End: rows.length - 1 }[event.key];
    const row = to === undefined ? undefined : rows[to];
    if (!row) return;
    event.preventDefault();
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  /** Reports whether the visitor has scrolled back. */
  private away(): boolean {
    return -this.scroller.scrollTop > near;
  }

  private scrolled(): void {
    if (this.away() || this.unseen === 0) return;
    this.unseen = 0;
    this.jump.hidden = true;
  }

  private toEnd(): void {
    this.scroller.scrollTop = 0;
    this.unseen = 0;
    this.jump.hidden = true;
  }
}
