/** What the operator took out of the catalog. */

import { h, toast } from "../dom";
import { t } from "../texts";
import type { Desk } from "./desk";
import { words } from "./signin";
import type { Items } from "./types";
import { button, code, confirm, part, table, time } from "./view";

interface Block {
  id: string;
  kind: string;
  value: string;
  reason: string;
  at: string;
}

const path = "/api/admin/catalogo/bloqueios";
const kinds = ["channel", "stream", "host"];

export async function blocks(desk: Desk): Promise<HTMLElement[]> {
  const { items } = await desk.session.call<Items<Block>>("GET", path);
  return [
    part(t("operator.ui.blocks"), table(t("operator.ui.blocks"), [t("operator.ui.value"), t("operator.ui.kind"), t("moderation.ui.reason"), t("operator.ui.at"), ""],
      items.map((it) => [code(it.value), t(`operator.ui.kind_${it.kind}`), h("span", { dir: "auto" }, it.reason), time(it.at),
        button(t("operator.ui.lift"), () => lift(desk, it), { "aria-label": t("operator.ui.lift_block", { value: it.value }) })]), t("operator.ui.no_blocks"))),
    part(t("operator.ui.add_block"), form(desk)),
  ];
}

function lift(desk: Desk, block: Block): void {
  confirm({
    title: t("operator.ui.lift_block", { value: block.value }), text: t("operator.ui.lift_note"), label: t("operator.ui.lift"),
    run: async () => {
      await desk.session.call("DELETE", `${path}/${encodeURIComponent(block.id)}`);
      toast(t("moderation.ui.done"));
      desk.refresh();
    },
  });
}

function form(desk: Desk): HTMLElement {
  const kind = h("select", { name: "kind" }, ...kinds.map((one) => h("option", { value: one }, t(`operator.ui.kind_${one}`))));
  const value = h("input", { name: "value", required: true, maxlength: 253, autocomplete: "off" });
  const reason = h("input", { name: "reason", required: true, maxlength: 500, autocomplete: "off" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    wrong.textContent = "";
    const name = value.value.trim();
    confirm({
      title: t("operator.ui.block_value", { value: name }), text: t(`operator.ui.block_note_${kind.value}`), label: t("operator.ui.block"), danger: true,
      run: async () => {
        try {
          await desk.session.call("POST", path, { kind: kind.value, value: name, reason: reason.value.trim() });
        } catch (error) {
          wrong.textContent = words(error); // the form has what is to be put right
          throw error;
        }
        toast(t("moderation.ui.done"));
        desk.refresh();
      },
    });
  };
  return h("form", { class: "panel operator-form", submit }, h("label", { class: "field" }, t("operator.ui.kind"), kind),
    h("label", { class: "field" }, t("operator.ui.value"), value), h("label", { class: "field" }, t("moderation.ui.reason"), reason),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button danger" }, t("operator.ui.block"))), wrong);
}
