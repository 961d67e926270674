/**
 * Taking along what this browser kept as a guest, once somebody has signed in.
 *
 * The service moves everything to the account that does not collide with what the
 * account has. When nothing stays behind, the browser forgets the guest. Otherwise it
 * keeps the guest's token, which calls do not carry while somebody is signed in: who
 * signs out finds the rest, and the next sign-in tries it again.
 */

import { callFromPage, dropToken, Failure, signedIn, token } from "../api";
import { toast } from "../dom";
import { noteKept } from "../kept";
import { count, language, t } from "../texts";

/** Rows by the tables that they are in. */
interface Rows {
  categories: number;
  favorites: number;
  history: number;
  comments: number;
  feeds: number;
  public: number;
  following: number;
}

interface Answer {
  claimed: { product: { movidos: Rows; ficaram: Rows } };
}

/** The tables in the order in which they are listed. Each has a text for one row and one for any other number. */
const tables = ["categories", "favorites", "history", "comments", "feeds", "public", "following"] as const;

/** Set while a claim has not ended, so that another page may end it. */
const pendingKey = "mm-claim";

/** How often a claim that has not ended is repeated by one page, and how long it waits each time at most, in seconds. */
const most = 5, longest = 10;

/**
 * Moves what this browser's guest has to the account that is signed in, and says what
 * moved and what stayed. It does nothing without a guest. It never rejects: a claim that
 * cannot be ended now is repeated by the next page that calls endClaim.
 */
export async function claimGuest(): Promise<void> {
  const guest = token();
  if (!guest) return;
  setPending(true);
  try {
    const { movidos, ficaram } = (await claim(guest)).claimed.product;
    setPending(false);
    noteKept(null); // the library has more than this browser saw of it
    if (tables.every((table) => !ficaram[table])) dropToken(guest);
    say("layout.ui.claim_moved", movidos);
    say("layout.ui.claim_left", ficaram);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "unknown_guest" || error.code === "invalid_product_claim") { // there is nothing to claim
      setPending(false);
      dropToken(guest);
    } else if (error.status === 0 || error.status >= 500) toast(t("layout.ui.claim_pending"));
  }
}

/** Ends a claim that another page began and could not end, while somebody is signed in. */
export async function endClaim(): Promise<void> {
  if (signedIn() && isPending()) await claimGuest();
}

/** Claims a guest, again while the claim is pending. */
async function claim(guest: string): Promise<Answer> {
  for (let n = 1; ; n++) {
    try {
      return await callFromPage<Answer>("POST", "/api/auth/claim", { guest_token: guest });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "product_claim_pending" || n === most) throw error;
      const seconds = Math.min(Number(error.body["retry_after"]) || 1, longest);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    }
  }
}

/** Says how many rows there are of each table; nothing when there are none. */
function say(key: "layout.ui.claim_moved" | "layout.ui.claim_left", rows: Rows): void {
  const parts = tables.filter((table) => rows[table] > 0).map((table) => count(`layout.ui.claim_${table}`, rows[table]));
  if (parts.length > 0) toast(t(key, { list: new Intl.ListFormat(language).format(parts) }));
}

function isPending(): boolean {
  try {
    return localStorage.getItem(pendingKey) !== null;
  } catch {
    return false;
  }
}

function setPending(on: boolean): void {
  try {
    if (on) localStorage.setItem(pendingKey, "1");
    else localStorage.removeItem(pendingKey);
  } catch {
    // Only this page knows of the claim.
  }
}
