/** The channels of a list that left the catalog, with what became of them. */

import { call } from "../api";
import { $, h, iconButton, toast } from "../dom";
import { t } from "../texts";
import type { Gone } from "../types";
import { tellOf } from "./ask";
import { link } from "./rows";

/** The section below a list that shows such channels, hidden while there are none. */
export class GoneRows {
  private readonly section = document.getElementById("gone") as HTMLElement;
  private readonly box = $<HTMLElement>("ul", this.section)!;

  /** `removed` is called when a row was removed. */
  constructor(private readonly path: string, private readonly removed: () => void) {}

  get any(): boolean {
    return this.box.childElementCount > 0;
  }

  /** Shows these channels in place of those shown before. Each can be removed from the list. */
  show(list: Gone[]): void {
    this.box.replaceChildren(...list.map((gone) => this.row(gone)));
    this.section.hidden = !this.any;
  }

  private row(gone: Gone): HTMLElement {
    const name = gone.name ?? t("keep.ui.gone_nameless");
    const row = h("li", { class: "row-item", "data-id": gone.channel_id },
      link({ channel_id: gone.channel_id, name, country: gone.country, kind: gone.kind, logo_url: null, playable_hint: false, gone }),
      iconButton("close", t("keep.ui.gone_remove", { name }), () => {
        call("DELETE", `${this.path}/${encodeURIComponent(gone.channel_id)}`).then(() => {
          row.remove();
          this.section.hidden = !this.any;
          this.removed();
          document.getElementById("main")?.focus();
          toast(t("keep.ui.gone_removed", { name }));
        }, tellOf);
      }));
    return row;
  }
}
