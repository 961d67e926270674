/** The page of the visitor's passes and credit: shows them, and sells more. */

import { ask, call, Failure, isOwner, read } from "./api";
import { $, $$, h, icon, iconButton, toast } from "./dom";
import { isCredit, keepCredit, keptCredit } from "./pay/credit";
import { buy, price } from "./pay/dialog";
import { language, locale, moment, t } from "./texts";

interface Billing {
  gratis?: boolean;
  tv: { active: boolean; until: string | null };
  passes: { kind: "chat" | "network"; network: string | null; until: string }[];
}

interface Entry {
  at: string | null;
  product: string;
  amount_usd: string;
  balance_usd: string;
}

interface Statement {
  balance_usd: string;
  items: Entry[];
  next_offset: number | null;
}

/** A purchase of the visitor. */
interface Bill {
  id: string;
  product: string;
  amount_usd: string;
  at: string;
}

const pageSize = 20;

/** Makes the page of purchases work. */
export function purchases(): void {
  new Purchases();
}

class Purchases {
  /** The credit that is shown, and that is topped up. */
  private token = "";
  private readonly field = $<HTMLInputElement>("#token")!;
  private readonly keep = $<HTMLInputElement>("#keep")!;
  private readonly wrong = $("#credit-wrong")!;
  private readonly statement = $("#statement")!;
  private readonly fresh = $("#new-credit")!;

  constructor() {
    $("#credit")!.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.open(this.field.value.trim());
    });
    this.keep.addEventListener("change", () => { if (this.token) this.remember(); });
    $("#buy-pass")!.addEventListener("click", () => void this.buyPass());
    for (const button of $$<HTMLButtonElement>("[data-credit]")) {
      button.textContent = price(Number(button.dataset["usd"]));
      button.addEventListener("click", () => void this.buyCredit(button.dataset["credit"]!, Number(button.dataset["usd"])));
    }
    const kept = keptCredit();
    this.keep.checked = kept !== "";
    this.field.value = kept;
    if (kept) void this.open(kept);
    void this.passes();
    document.addEventListener("account", () => void this.passes());
  }

  /** Shows the passes of the visitor and of the network that the visitor is in. */
  private async passes(): Promise<void> {
    const list = $("#passes")!;
    try {
      const billing = await read<Billing>("/api/billing");
      list.replaceChildren(...this.rows(billing));
      for (const button of $$<HTMLButtonElement>("#buy-pass, [data-credit]")) button.disabled = billing.gratis === true;
    } catch (error) {
      list.replaceChildren(h("li", { class: "wrong", role: "alert" }, words(error)));
    }
    list.removeAttribute("aria-busy");
    await this.bills();
  }

  /** Lists what the visitor bought, with the ids of the receipts. */
  private async bills(): Promise<void> {
    if (!isOwner()) return;
    const { items } = await read<{ items: Bill[] }>("/api/purchases?limit=50").catch(() => ({ items: [] }));
    $("#bills")!.replaceChildren(...items.map(({ id, product, amount_usd: usd, at }) => h("li", {},
      h("strong", {}, named(product)), h("span", {}, `${moment(at)} · ${price(Number(usd))}`), h("code", { class: "soft small" }, id))));
    $("#bought")!.hidden = items.length === 0;
  }

  private rows({ gratis, tv, passes }: Billing): HTMLElement[] {
    if (gratis) return [h("li", {}, t("purchases.ui.free"))];
    const row = (name: string, text: string): HTMLElement => h("li", {}, h("strong", {}, name), h("span", {}, text));
    const until = (iso: string): string => t("purchases.ui.until", { date: moment(iso) });
    const all = passes.map(({ kind, network, until: end }) =>
      row(kind === "chat" ? t("purchases.ui.chat") : t("purchases.ui.network", { name: network ?? "" }), until(end)));
    if (tv.active && tv.until) all.push(row(t("purchases.ui.here"), until(tv.until)));
    return all.length > 0 ? all : [h("li", { class: "soft" }, t("purchases.ui.none"))];
  }

  private async buyPass(): Promise<void> {
    const path = "/api/chat/pass";
    const bought = await buy<{ charged: boolean; until: string | null }>({
      title: t("purchases.ui.chat"), text: t("purchases.ui.chat_text"),
      command: `curl -X POST ${location.origin}${path} \\\n  -H 'X-Guest-Token: ipt_…' \\\n  -H 'X-Credito: cred_…'`,
      call: { key: `POST ${path}`, send: (headers) => call("POST", path, undefined, headers) },
    });
    if (!bought) return;
    toast(t(bought.charged ? "pay.ui.paid" : "purchases.ui.valid"));
    if (this.token) void this.open(this.token);
    await this.passes();
  }

  /** Buys a credit, or adds to the one that is shown. */
  private async buyCredit(product: string, usd: number): Promise<void> {
    const path = "/api/credits";
    const top = this.token;
    const bought = await buy<{ token: string; balance_usd: string | null }>({
      title: top ? t("purchases.ui.top_up") : t("purchases.ui.credit", { price: price(usd) }), text: t(top ? "purchases.ui.top_up_text" : "purchases.ui.credit_text"), walletOnly: true,
      command: `curl -X POST ${location.origin}${path} \\\n  -H 'Content-Type: application/json' \\\n  -H 'X-PAYMENT: …' \\\n  -d '{"product":"${product}"}'`,
      call: { key: `POST ${path} ${product} ${top}`, send: (headers) => call("POST", path, { product }, top ? { ...headers, "X-Credito": top } : headers) },
    });
    if (!bought) return;
    if (!top) this.present(bought.token);
    await this.open(bought.token);
  }

  /** Shows a credit that was just bought: its token is the only way to it. */
  private present(token: string): void {
    const field = h("input", { class: "input", readonly: true, value: token, "aria-label": t("purchases.ui.token") });
    const copy = (): void => {
      field.select();
      void navigator.clipboard.writeText(token).then(() => toast(t("purchases.ui.copied")), () => null);
    };
    this.fresh.replaceChildren(h("p", { role: "status" }, t("purchases.ui.bought")),
      h("div", { class: "account-copy" }, field, h("button", { type: "button", class: "button", click: copy }, icon("copy"), t("purchases.ui.copy"))));
    this.fresh.hidden = false;
    this.field.value = token;
    field.focus();
    field.select();
  }

  /** Shows the statement of a credit. */
  private async open(token: string): Promise<void> {
    this.wrong.textContent = "";
    this.statement.hidden = true;
    this.token = "";
    try {
      if (!isCredit(token)) throw new Failure(400, "credit", t("pay.ui.credit_wrong"));
      const found = await this.page(token, 0);
      this.token = token;
      this.remember();
      this.draw(found);
    } catch (error) {
      this.wrong.textContent = words(error);
    }
    $("#buy-into")!.textContent = t(this.token ? "purchases.ui.buy_into" : "purchases.ui.buy_new");
  }

  private page(token: string, offset: number): Promise<Statement> {
    return ask<Statement>("GET", `/api/credits?limit=${pageSize}&offset=${offset}&lang=${locale}`, undefined, { "X-Credito": token });
  }

  private remember(): void {
    keepCredit(this.keep.checked ? this.token : "");
  }

  private draw(first: Statement): void {
    const body = h("tbody");
    const more = h("button", { type: "button", class: "button", hidden: first.next_offset === null }, t("purchases.ui.more"));
    let next = first.next_offset;
    const add = (page: Statement): void => {
      body.append(...page.items.map(line));
      next = page.next_offset;
      more.hidden = next === null;
    };
    more.addEventListener("click", () => { if (next !== null) void this.page(this.token, next).then(add, (error) => toast(words(error))); });
    add(first);
    const heads = (["date", "product", "amount", "balance"] as const).map((name) => h("th", { scope: "col" }, t(`purchases.ui.head_${name}`)));
    this.statement.replaceChildren(
      h("p", { class: "pay-price" }, t("purchases.ui.balance", { price: price(Number(first.balance_usd)) })),
      first.items.length > 0 ? h("div", { class: "purchases-scroll", tabindex: 0, role: "group", "aria-label": t("purchases.ui.statement") }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body)) : "",
      more, iconButton("close", t("purchases.ui.forget"), () => this.forget(), { class: "icon-button purchases-forget" }));
    this.statement.hidden = false;
  }

  /** Takes the credit off the page and out of the browser. */
  private forget(): void {
    this.token = this.field.value = "";
    keepCredit("");
    this.keep.checked = false;
    this.statement.hidden = this.fresh.hidden = true;
    $("#buy-into")!.textContent = t("purchases.ui.buy_new");
    this.field.focus();
  }
}

const signed = new Intl.NumberFormat(language, { style: "currency", currency: "USD", signDisplay: "exceptZero" });

function line({ at, product, amount_usd, balance_usd }: Entry): HTMLElement {
  return h("tr", {}, h("td", {}, at ? h("time", { datetime: at }, moment(at)) : ""), h("td", {}, named(product)),
    h("td", { class: "sum" }, signed.format(Number(amount_usd))), h("td", { class: "sum" }, price(Number(balance_usd))));
}

/** Names a product. */
function named(product: string): string {
  const [kind = "", days = ""] = product.split("_");
  if (kind === "credit") return t("purchases.ui.product_credit");
  if (kind === "contact") return t("purchases.ui.product_contact");
  return t(kind === "chat" ? "purchases.ui.product_chat" : "purchases.ui.product_network", { n: days });
}

function words(error: unknown): string {
  return error instanceof Failure ? error.message : t("layout.ui.failed");
}
