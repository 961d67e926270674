/** Buying more minutes: a pass for the network that the visitor is on, at the hop's own 402. */

import { Failure, token } from "../api";
import { toast } from "../dom";
import { buy } from "../pay/dialog";
import type { Terms } from "../pay/payment";
import { t } from "../texts";

const credit = 30; // days that a credit buys at the hop

/**
 * Sells a pass at the address of a stream, and reports whether it plays now. A payment
 * may be repeated at any stream, so all of them are one call.
 */
export async function buyMinutes(url: string): Promise<boolean> {
  const paid = await buy<boolean>({
    title: t("player.ui.minutes"), text: t("player.ui.minutes_text"), command: `curl ${url} \\\n  -H 'X-PAYMENT: …'`,
    name: (terms) => t("player.ui.minutes_days", { n: daysOf(terms) }), creditText: t("player.ui.minutes_credit", { n: credit }),
    call: { key: "GET hop", send: (headers) => play(url, headers) },
  });
  if (paid) toast(t("player.ui.minutes_bought"));
  return paid !== null;
}

/** Asks for a playlist, and reports whether it was paid for. A guest is named, so that the pass is listed among the guest's. */
async function play(url: string, pays: Record<string, string>): Promise<boolean> {
  const guest = token();
  let response: Response;
  try {
    response = await fetch(url, { headers: guest ? { ...pays, "X-Guest-Token": guest } : pays, credentials: "omit", cache: "no-store" });
  } catch {
    throw new Failure(0, "offline", t("layout.ui.offline"));
  }
  const { status } = response;
  if (response.ok || status === 422) return Object.keys(pays).length > 0; // the pass is sold before the origin is asked, which may fail
  const answer = await response.json().catch(() => ({}));
  throw new Failure(status, answer.error ?? "internal", answer.message ?? t("layout.ui.failed"), answer);
}

/** Returns for how many days terms are, which their description ends with. */
function daysOf({ description }: Terms): number {
  return Number(/(\d+) days$/.exec(description)?.[1] ?? 0);
}
