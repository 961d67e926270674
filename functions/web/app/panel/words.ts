/** What the parts of the panel say of a tally, and how they show it. */

import { count, country, t } from "../texts";
import type { Tally } from "./types";

/** How a tally stands: it has a colour, and never only that. */
export type Tone = "good" | "fair" | "bad" | "few";

/** From this share of successes, in percent, a channel is steady: the rule of the verdicts. */
const steady = 70;

export function tone({ health }: Tally): Tone {
  if (health === null) return "few";
  return health >= steady ? "good" : health > 0 ? "fair" : "bad";
}

/** Says in words how many plays succeeded. */
export function said(tally: Tally): string {
  const n = tally.plays + tally.fails;
  return tally.health === null ? count("panel.ui.few", n) : count("panel.ui.share", n, { ok: tally.plays });
}

/** Names a country; the unknown one too. */
export function name(code: string): string {
  return code === "ZZ" ? t("panel.ui.unknown") : country(code);
}
