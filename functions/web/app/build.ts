/** The page of examples: a button beside each copies it. */

import { $, $$, h, toast } from "./dom";
import { t } from "./texts";

/** Adds the buttons. */
export function build(): void {
  for (const snippet of $$(".snippet")) {
    const copy = (): void => void navigator.clipboard.writeText($("code", snippet)?.textContent ?? "")
      .then(() => toast(t("build.ui.copied")), () => toast(t("layout.ui.failed")));
    $("figcaption", snippet)?.append(h("button", { type: "button", class: "link", click: copy }, t("build.ui.copy")));
  }
}
