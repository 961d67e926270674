/** What became of a channel that left the catalog, in words. */

import { day, t } from "../texts";
import type { Gone } from "../types";

/** Says why a channel is gone, and since when. */
export function fate({ reason, since }: Gone): string {
  if (reason === "blocked") return t("keep.ui.gone_blocked");
  if (reason === "closed") return since ? t("keep.ui.gone_closed_since", { date: day(since) }) : t("keep.ui.gone_closed");
  return since ? t("keep.ui.gone_since", { date: day(since) }) : t("keep.ui.gone");
}
