/**
 * The dialog in which something is bought: what it costs, the ways to pay, and what became
 * of the payment. It pays with a wallet of the browser, or else with a credit token.
 */

import { $, dialog, h, icon, toast } from "../dom";
import { has, language, t } from "../texts";
import { isCredit, keepCredit, keptCredit } from "./credit";
import { chainOf, dollars, type Terms } from "./payment";
import { type Call, type Outcome, Purchase } from "./purchase";
import { sign, type Wallet, WalletError, wallets } from "./wallet";

/** What is bought, and how. */
export interface Offer<T> {
  title: string;
  /** Says what the buyer gets. */
  text: string;
  call: Call<T>;
  /** A command by which a program buys the same. */
  command: string;
  /** Names one of several terms, such as the passes of different length. */
  name?(terms: Terms): string;
  /** Says that something is bought with money alone, such as credit. */
  walletOnly?: boolean;
  /** Says what a credit buys, where that is not what is chosen. */
  creditText?: string;
}

const money = new Intl.NumberFormat(language, { style: "currency", currency: "USD" });

/** Writes an amount in dollars. */
export function price(amount: number): string {
  return money.format(amount);
}

/** Opens the dialog, and returns what the call answered once it is paid; null when the visitor closed the dialog before. */
export function buy<T>(offer: Offer<T>): Promise<T | null> {
  return new Promise((resolve) => new Sale(offer, resolve).open());
}

class Sale<T> {
  private readonly purchase: Purchase<T>;
  private readonly box = h("div", { class: "pay" });
  private readonly problem = h("p", { class: "wrong", role: "alert" });
  private readonly status = h("p", { class: "pay-status", role: "status" });
  private frame!: HTMLDialogElement;
  private chosen: Terms | undefined;
  private installed: Wallet[] = [];
  private timer = 0;
  private result: T | null = null;

  constructor(private readonly offer: Offer<T>, private readonly done: (result: T | null) => void) {
    this.purchase = new Purchase(offer.call);
  }

  open(): void {
    this.frame = dialog(this.offer.title, h("p", {}, this.offer.text), this.box, this.status, this.problem);
    this.frame.addEventListener("close", () => {
      clearTimeout(this.timer);
      this.done(this.result);
    });
    this.say("pay.ui.asking");
    void Promise.all([this.purchase.ask(), wallets(t("pay.ui.wallet"))]).then(([outcome, installed]) => {
      this.installed = installed;
      this.show(outcome);
    });
  }

  private say(key: string | null): void {
    this.status.textContent = key === null ? "" : t(key);
    this.problem.textContent = "";
  }

  private show(outcome: Outcome<T>): void {
    this.say(null);
    switch (outcome.state) {
      case "done":
        this.result = outcome.result;
        if (this.frame.open) this.frame.close();
        else toast(t("pay.ui.paid")); // the visitor closed the dialog meanwhile
        return;
      case "unpaid":
        this.offerWays(outcome.terms);
        if (outcome.reason !== null) this.fail(refusal(outcome.reason));
        return;
      case "failed":
        if (!this.chosen) this.box.replaceChildren(this.retry());
        this.fail(outcome.text);
        return;
      default:
        this.wait(outcome.state, outcome.receipt, outcome.after);
    }
  }

  private fail(text: string): void {
    this.status.textContent = "";
    this.problem.textContent = text;
  }

  /** Shows what it costs and the ways to pay. */
  private offerWays(all: Terms[]): void {
    const known = all.filter((terms) => chainOf(terms));
    this.chosen = known.find((terms) => terms.maxAmountRequired === this.chosen?.maxAmountRequired) ?? known[0];
    if (!this.chosen) return this.box.replaceChildren(h("p", {}, t("pay.ui.not_sold")));
    this.box.replaceChildren(this.costs(known), this.byWallet(), this.byCredit() ?? "", this.byProgram());
    if (this.frame.open) {
      reportShown();
      $<HTMLElement>("input, button", this.box)?.focus();
    }
  }

  private costs(all: Terms[]): HTMLElement {
    const chain = chainOf(all[0]!)!;
    const how = h("p", { class: "soft small" }, t(chain.test ? "pay.ui.test_money" : "pay.ui.in_usdc", { chain: chain.name }));
    if (all.length === 1 || !this.offer.name) return h("div", {}, h("p", { class: "pay-price" }, price(dollars(all[0]!))), how);
    const choices = all.map((terms) => h("label", { class: "pay-choice" },
      h("input", { type: "radio", name: "terms", checked: terms === this.chosen, change: () => { this.chosen = terms; } }),
      h("span", {}, this.offer.name!(terms)), h("strong", {}, price(dollars(terms)))));
    return h("fieldset", { class: "pay-choices" }, h("legend", { class: "sr" }, t("pay.ui.choose")), ...choices, how);
  }

  private byWallet(): HTMLElement {
    if (this.installed.length === 0) return h("p", { class: "soft" }, t(this.offer.walletOnly ? "pay.ui.needs_wallet" : "pay.ui.no_wallet"));
    const face = ({ icon: picture }: Wallet): Node => picture ? h("img", { src: picture, alt: "", width: 20, height: 20 }) : icon("wallet");
    return h("div", { class: "pay-wallets" }, ...this.installed.map((wallet) =>
      h("button", { type: "button", class: "button primary", click: () => void this.payBy(wallet) }, face(wallet), h("span", {}, t("pay.ui.pay_with"), " ", h("bdi", {}, wallet.name)))));
  }

  private async payBy(wallet: Wallet): Promise<void> {
    if (!this.chosen || this.busy(true)) return;
    this.say("pay.ui.confirm");
    try {
      const signed = await sign(wallet, this.chosen);
      this.say("pay.ui.paying");
      const outcome = await this.purchase.pay(signed);
      this.busy(false);
      this.show(outcome);
    } catch (error) {
      this.busy(false);
      this.fail(t(`pay.ui.wallet_${error instanceof WalletError ? error.why : "failed"}`));
    }
  }

  private byCredit(): HTMLElement | null {
    if (this.offer.walletOnly) return null;
    const field = h("input", { name: "credit", required: true, maxlength: 256, autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: keptCredit() });
    const keep = h("input", { type: "checkbox", name: "keep", checked: keptCredit() !== "" });
    const submit = async (event: Event): Promise<void> => {
      event.preventDefault();
      const token = field.value.trim();
      if (!isCredit(token)) return this.fail(t("pay.ui.credit_wrong"));
      if (this.busy(true)) return;
      keepCredit(keep.checked ? token : "");
      this.say("pay.ui.paying");
      const outcome = await this.purchase.spend(token);
      this.busy(false);
      this.show(outcome);
    };
    return h("form", { class: "pay-credit", submit },
      this.offer.creditText ? h("p", { class: "soft small" }, this.offer.creditText) : null,
      h("label", { class: "field" }, t("pay.ui.credit"), field),
      h("label", { class: "pay-keep" }, keep, t("pay.ui.credit_keep")),
      h("div", { class: "row" }, h("button", { type: "submit", class: this.installed.length > 0 ? "button" : "button primary" }, t("pay.ui.credit_pay"))));
  }

  private byProgram(): HTMLElement {
    return h("details", { class: "pay-program" }, h("summary", {}, t("pay.ui.program")),
      h("p", { class: "soft small" }, t("pay.ui.program_text")), h("pre", { tabindex: 0 }, h("code", {}, this.offer.command)));
  }

  /** Switches the controls off while a payment is under way, and returns whether one was already. */
  private busy(yes: boolean): boolean {
    const was = this.box.hasAttribute("inert");
    this.box.toggleAttribute("inert", yes);
    return was;
  }

  private retry(): HTMLElement {
    return h("p", {}, h("button", { type: "button", class: "button", click: () => void this.repeat() }, icon("refresh"), t("pay.ui.again")));
  }

  /** Shows that the payment is under way with its receipt, and repeats the call in a while. */
  private wait(state: "pending" | "unrecorded", receipt: unknown, after: number): void {
    const text = receipt === null ? "" : JSON.stringify(receipt, null, 2);
    const copy = h("button", { type: "button", class: "button", click: () => void navigator.clipboard.writeText(text).then(() => toast(t("pay.ui.copied")), () => null) }, icon("copy"), t("pay.ui.receipt_copy"));
    this.box.replaceChildren(h("p", {}, t(`pay.ui.${state}`)),
      text ? h("details", { open: state === "unrecorded" }, h("summary", {}, t("pay.ui.receipt")), h("pre", { class: "pay-receipt", tabindex: 0 }, text), copy) : "", this.retry());
    clearTimeout(this.timer);
    if (this.frame.open) this.timer = window.setTimeout(() => void this.repeat(), 1000 * after);
  }

  private async repeat(): Promise<void> {
    clearTimeout(this.timer);
    if (this.busy(true)) return;
    this.say("pay.ui.checking");
    const outcome = await this.purchase.ask();
    this.busy(false);
    this.show(outcome);
  }
}

/** Says in words why a payment was refused. */
function refusal(reason: string): string {
  return has(`pay.ui.refused_${reason}`) ? t(`pay.ui.refused_${reason}`) : t("pay.ui.refused", { reason });
}

/** Reports that a charge was shown, by a call that counts it and grants nothing. */
function reportShown(): void {
  fetch("/api/pagamento/aberto", { method: "POST", headers: { "X-MM-Payment-View": "1" }, credentials: "same-origin", keepalive: true }).catch(() => {});
}
