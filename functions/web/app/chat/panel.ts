/** The chat of a channel: its messages, where one writes, and what writing costs. */

import { call, Failure, guest, read, replaceGuest, signedIn, token } from "../api";
import { h, icon, toast } from "../dom";
import { letters } from "../own/ask";
import { count, language, locale, moment, t } from "../texts";
import { buy, price } from "../pay/dialog";
import { Connection, type Listener, type Message, type Refusal } from "./connection";
import { actsOn } from "./guard";
import { Log } from "./log";

/** The part of the answer of GET /api/billing about the caller. */
interface Billing {
  gratis?: boolean;
  prices: { chat_month_usd: number | string };
  chat: { active: boolean; until: string | null };
}

/** A message on its way, with the row that shows it. */
interface Sending {
  body: string;
  row: HTMLLIElement;
}

const warnBelow = 50; // characters left from which the counter is shown

export class Chat implements Listener {
  private connection: Connection | null = null;
  private channel = "";
  private name: string | null = null;
  private most = 500;
  private billing: Billing | null = null;
  private readonly sending = new Map<string, Sending>();
  private replaced = false; // the guest was replaced once already

  private readonly log = new Log(({ id, autor }) => actsOn({ kind: "message", channel_id: this.channel, id, author: autor }, {
    hide: (name) => {
      this.log.hide(name);
      this.connection?.identify(); // from now on the room leaves the author out
    },
    show: () => this.again(),
  }));
  private readonly state = h("p", { class: "chat-state", role: "status" });
  private readonly problem = h("p", { class: "chat-problem", id: "chat-problem", role: "alert" });
  private readonly counter = h("span", { class: "chat-count", id: "chat-count" });
  private readonly speaking = h("p", { class: "chat-as soft small" });
  private readonly field = h("textarea", {
    rows: 1, required: true, autocomplete: "off", enterkeyhint: "send", "aria-label": t("chat.ui.write"), placeholder: t("chat.ui.write"), "aria-describedby": "chat-count chat-problem",
    input: () => this.measure(), keydown: (event: KeyboardEvent) => this.key(event),
  });
  private readonly submit = h("button", { type: "submit", class: "icon-button", "aria-label": t("chat.ui.send"), title: t("chat.ui.send") }, icon("send"));
  private readonly form = h("form", { class: "chat-form", hidden: true, submit: (event: SubmitEvent) => { event.preventDefault(); this.send(); } }, this.field, this.submit);
  private readonly wall = h("div", { class: "chat-wall", hidden: true });

  /** `present` is called with how many people have the room open. */
  constructor(box: HTMLElement, private readonly present: (n: number | null) => void) {
    box.replaceChildren(this.state, this.log.element,
      h("div", { class: "chat-foot" }, this.wall, this.form, h("div", { class: "chat-under" }, this.speaking, this.counter), this.problem));
    document.addEventListener("account", () => this.again());
  }

  /** Enters the room of a channel, and leaves the one before. */
  open(channel: string): void {
    this.close();
    this.channel = channel;
    this.log.clear();
    this.tell("");
    this.state.textContent = t("chat.ui.connecting");
    const url = new URL(`/api/chat/${encodeURIComponent(channel)}/ws?lang=${locale}`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.connection = new Connection(url.href, () => (signedIn() ? "" : token()), this);
    this.connection.start();
    void this.ask();
  }

  /** Leaves the room. */
  close(): void {
    this.connection?.stop();
    this.connection = null;
    for (const [ref] of this.sending) this.restore(ref);
    this.present(null);
  }

  focus(): void {
    (this.form.hidden ? this.wall.querySelector<HTMLElement>("button") : this.field)?.focus();
  }

  private again(): void {
    if (this.connection) this.open(this.channel);
  }

  messages(list: Message[], afresh: boolean): void {
    this.log.add(list, afresh);
  }

  watching(n: number): void {
    this.present(n);
  }

  speaker(name: string | null, most = this.most): void {
    this.name = name;
    this.most = most;
    this.speaking.replaceChildren(...(name === null ? [] : [t("chat.ui.as"), " ", h("bdi", {}, name)]));
  }

  connected(yes: boolean): void {
    this.state.textContent = yes ? "" : t("chat.ui.reconnecting");
    if (yes) this.log.empty(t("chat.ui.empty"));
  }

  sent(ref: string): void {
    const sending = this.sending.get(ref);
    if (sending) this.log.settle(sending.row);
    this.sending.delete(ref);
    this.replaced = false;
  }

  refused(ref: string, refusal: Refusal): void {
    this.restore(ref);
    if (refusal.code === "pago") {
      this.billing = this.billing && { ...this.billing, gratis: false, chat: { active: false, until: null } };
      this.offer();
    }
    this.tell(inWords(refusal));
  }

  unidentified(refusal: Refusal): void {
    if (refusal.reason !== "invalid_session") return this.tell(inWords(refusal)); // the guest may be fine, such as when the database fails
    const stale = signedIn() ? null : token();
    if (this.replaced || stale === null) return this.tell(t("chat.ui.unknown"));
    this.replaced = true;
    void replaceGuest(stale).then(() => this.connection?.identify(), (error: Error) => this.tell(error.message));
  }

  /** Asks what writing costs this visitor, and shows the field or the price. */
  private async ask(): Promise<void> {
    try {
      this.billing = await read<Billing>("/api/billing");
    } catch (error) {
      if (!this.billing) this.tell(error instanceof Failure ? error.message : t("layout.ui.failed"));
    }
    this.offer();
  }

  private offer(): void {
    const { billing } = this;
    const free = !billing || billing.gratis === true || billing.chat.active;
    this.form.hidden = this.speaking.hidden = !free;
    this.wall.hidden = free;
    if (free) return;
    const amount = price(Number(billing.prices.chat_month_usd));
    this.wall.replaceChildren(h("p", {}, t("chat.ui.price", { price: amount })),
      h("button", { type: "button", class: "button primary", click: () => void this.buy() }, t("chat.ui.buy")));
  }

  /** Buys a pass, and lets the visitor write. */
  private async buy(): Promise<void> {
    const path = "/api/chat/pass";
    const bought = await buy<{ charged: boolean; until: string | null }>({
      title: t("chat.ui.buy"), text: t("chat.ui.pass_text"), command: command(path),
      call: { key: `POST ${path}`, send: (headers) => call("POST", path, undefined, headers) },
    });
    if (!bought) return;
    toast(bought.until ? t("chat.ui.bought", { date: moment(bought.until) }) : t("chat.ui.free"));
    this.tell("");
    this.connection?.identify();
    await this.ask();
    this.focus();
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  /** Shows how many characters are left when they are few, and reports whether the text may be sent. */
  private measure(): boolean {
    const left = this.most - letters(this.field.value);
    this.counter.textContent = left < warnBelow ? count("chat.ui.left", left) : "";
    this.counter.classList.toggle("over", left < 0);
    this.field.toggleAttribute("aria-invalid", left < 0);
    return left >= 0 && this.field.value.trim() !== "";
  }

  private send(): void {
    const body = this.field.value.trim();
    if (!this.connection || !this.measure()) return this.field.focus();
    this.field.value = "";
    this.measure();
    this.tell("");
    void this.identified().then(() => {
      const ref = this.connection?.send(body);
      if (ref !== undefined) this.sending.set(ref, { body, row: this.log.pending(this.name ?? t("chat.ui.you"), body) });
    }, (error: Error) => {
      if (!this.field.value) this.field.value = body;
      this.tell(error.message);
    });
  }

  /** Makes this browser a guest before it writes for the first time, unless an account is signed in. */
  private async identified(): Promise<void> {
    if (signedIn() || token() !== null) return;
    await guest();
    this.connection?.identify();
  }

  /** Takes the row of a message away that was not sent, and gives its text back to be changed. */
  private restore(ref: string): void {
    const sending = this.sending.get(ref);
    this.sending.delete(ref);
    sending?.row.remove();
    if (sending && !this.field.value) this.field.value = sending.body;
    this.measure();
  }

  private tell(text: string): void {
    this.problem.textContent = text;
  }
}

const wait = new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" });

/** Says in words why a message was not taken. The service says it in the language of the page where it can. */
function inWords(refusal: Refusal): string {
  const text = refusal.message ?? t(`chat.ui.refused_${refusal.code}`);
  return refusal.retry_after ? `${text} ${t("chat.ui.wait", { time: wait.format(Math.ceil(refusal.retry_after)) })}` : text;
}

/** Returns a command by which a program makes a call that is paid by credit. */
function command(path: string): string {
  return `curl -X POST ${location.origin}${path} \\\n  -H 'X-Guest-Token: ipt_…' \\\n  -H 'X-Credito: cred_…'`;
}
