/** Handing on an address: that of the page, or that of a stream. */

import { afterPaint, dialog, h, toast } from "../dom";
import { t } from "../texts";
import type { ChannelFull } from "../types";

/** Copies an address, or shows it to be copied by hand where a page may not do it. */
export async function copy(address: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(address);
    toast(t("channel.ui.copied"));
  } catch {
    const field = h("input", { class: "input", readonly: true, value: address, "aria-label": t("channel.ui.copy_by_hand") });
    dialog(t("channel.ui.copy_by_hand"), field);
    field.select();
  }
}

/** Shows the ways to hand a channel on. */
export function share(channel: ChannelFull): void {
  void import("./sheet").then((m) => afterPaint(() => m.sheet(channel)), () => copy(location.origin + location.pathname));
}
