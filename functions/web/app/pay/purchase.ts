/**
 * One purchase: a call that answers 402, repeated with a payment.
 *
 * A payment that was sent may have been settled although its answer was lost. The signed
 * payment is therefore kept, also beyond this page, until the service says what became of
 * it, and the same one is sent again meanwhile: nobody signs twice for one purchase. The
 * service answers a repeated payment with the stored result and charges nothing twice.
 */

import { Failure } from "../api";
import type { Terms } from "./payment";

/** A call that is paid for. */
export interface Call<T> {
  /** Names the call among the payments that are kept: its method, address and body. */
  key: string;
  /** Sends the call with headers that pay, or without any. It rejects with a Failure. */
  send(headers: Record<string, string>): Promise<T>;
}

/** What a purchase came to. */
export type Outcome<T> =
  | { state: "done"; result: T }
  /** The call is to be paid. `reason` says why the payment that was shown does not pay for it, `terms` what does. */
  | { state: "unpaid"; terms: Terms[]; reason: string | null }
  /** It is not known yet whether the payment was settled. */
  | { state: "pending"; receipt: unknown; after: number }
  /** The payment was settled, and what was bought is not stored yet. */
  | { state: "unrecorded"; receipt: unknown; after: number }
  /** Nothing was charged, and no other payment would help now. */
  | { state: "failed"; text: string };

const storageKey = "mm-payment";
const usualWait = 5; // seconds

export class Purchase<T> {
  #signed: string | null;

  constructor(readonly call: Call<T>) {
    this.#signed = stored(call.key);
  }

  /** Reports whether a payment was signed whose fate is not known. */
  get open(): boolean {
    return this.#signed !== null;
  }

  /** Sends the call without a payment, or with the one whose fate is not known. */
  ask(): Promise<Outcome<T>> {
    return this.#signed === null ? this.#send({}) : this.again();
  }

  /** Pays with a payment that a wallet signed. */
  pay(signed: string): Promise<Outcome<T>> {
    this.#signed = signed;
    store(this.call.key, signed);
    return this.again();
  }

  /** Sends the payment whose fate is not known once more. */
  again(): Promise<Outcome<T>> {
    return this.#send({ "X-PAYMENT": this.#signed ?? "" });
  }

  /** Pays with a credit token. The service charges it when it delivers, and not at all otherwise. */
  spend(credit: string): Promise<Outcome<T>> {
    return this.#send({ "X-Credito": credit });
  }

  async #send(headers: Record<string, string>): Promise<Outcome<T>> {
    try {
      const result = await this.call.send(headers);
      this.#forget();
      return { state: "done", result };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return this.#judge(error, "X-PAYMENT" in headers);
    }
  }

  #judge({ status, code, message, body }: Failure, paid: boolean): Outcome<T> {
    if (status === 402) {
      this.#forget();
      const terms = Array.isArray(body["accepts"]) ? (body["accepts"] as Terms[]) : [];
      return { state: "unpaid", terms, reason: code === "payment_required" ? null : String(body["reason"] ?? code) };
    }
    const wait = { receipt: body["receipt"] ?? null, after: Number(body["retry_after"]) || usualWait };
    if (code === "pass_not_recorded") return { state: "unrecorded", ...wait };
    if (paid && (code === "payment_pending" || status === 0 || (status >= 500 && code !== "pass_unavailable"))) return { state: "pending", ...wait };
    if (code === "payment_malformed") this.#forget();
    return { state: "failed", text: message };
  }

  #forget(): void {
    this.#signed = null;
    store(this.call.key, null);
  }
}

/** The payments whose fate is not known, by the calls that they pay for. */
function all(): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, string>) : {};
  } catch {
    return {};
  }
}

function stored(key: string): string | null {
  const signed = all()[key];
  return typeof signed === "string" && /^[\w+/=]+$/.test(signed) ? signed : null;
}

function store(key: string, signed: string | null): void {
  const { [key]: _, ...others } = all();
  const kept = signed === null ? others : { ...others, [key]: signed };
  try {
    if (Object.keys(kept).length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // It is kept for as long as the page.
  }
}
