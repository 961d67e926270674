/** Handing on an address: that of the page, or that of a stream. */

import { dialog, h, toast } from "../dom";
import { t } from "../texts";

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

/** Hands the address of the page on by whatever the device has for it. */
export async function share(title: string): Promise<void> {
  const url = location.origin + location.pathname;
  if (!navigator.share) return copy(url);
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if ((error as DOMException).name !== "AbortError") await copy(url);
  }
}
