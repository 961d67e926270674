/**
 * Removing everything that an author or a network wrote: the operator sees how much that
 * is, with some of the texts, before the reason is asked for. The texts are shown as they
 * were written; nothing of them is markup.
 */

import { dialog, h, toast } from "../dom";
import { words } from "../operator/signin";
import { count, t } from "../texts";
import type { BulkAct, Operator, Preview, Text } from "./operator";

const longestReason = 500;

/** What a text stands for. */
export type Of = "author" | "network";

/** Opens what the author or the network of a text wrote, with what removes it. `changed` is called when something was done. */
export async function openBulk(operator: Operator, text: Text, of: Of, changed: () => void): Promise<void> {
  const body = h("div", { class: "moderation-bulk", role: "status" }, h("p", { class: "skeleton" }, "\u00a0"));
  dialog(t(`moderation.ui.bulk_title_${of}`), body);
  try {
    const found = await operator.preview({ ...text, of });
    body.replaceChildren(...shown(found), form(operator, found, body, changed));
  } catch (error) {
    body.replaceChildren(h("p", { class: "wrong", role: "alert" }, words(error)));
  }
}

/** Makes what is shown of what would be removed. */
function shown(found: Preview): HTMLElement[] {
  const examples = found.examples.map((it) => h("li", {},
    h("p", { class: "moderation-head" }, h("strong", {}, t(`moderation.ui.kind_${it.kind}`)), h("bdi", {}, it.author)),
    h("p", { class: "moderation-body", dir: "auto" }, it.body)));
  return [
    h("p", {}, h("strong", {}, `${count("moderation.ui.bulk_comments", found.comments)}, ${count("moderation.ui.bulk_messages", found.messages)}`)),
    h("p", { class: "soft small", hidden: !found.more }, t("moderation.ui.bulk_more")),
    h("p", { class: "soft small" }, h("code", {}, found.network ?? found.owner ?? "")),
    h("ul", { class: "moderation-list" }, ...examples),
  ];
}

/** Makes the form that removes everything, or mutes its sender. */
function form(operator: Operator, found: Preview, box: HTMLElement, changed: () => void): HTMLFormElement {
  const sender = found.network !== null ? { network: found.network } : { owner: found.owner ?? "" };
  const reason = h("input", { name: "reason", required: true, maxlength: longestReason, autocomplete: "off" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const mute = h("button", { type: "submit", class: "button", value: "mute" }, t(found.network !== null ? "moderation.ui.bulk_mute_network" : "moderation.ui.act_mute"));
  const remove = h("button", { type: "submit", class: "button danger", value: "remove" }, t("moderation.ui.act_remove_all"));
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const muting = event.submitter === mute;
    mute.disabled = remove.disabled = true;
    wrong.textContent = "";
    try {
      if (muting) {
        await operator.act({ act: "mute", ...sender, hours: 24, reason: reason.value.trim() });
        toast(t("moderation.ui.done"));
      } else {
        const act = await finish(operator, await operator.removeAll(sender, reason.value.trim()));
        toast(t("moderation.ui.bulk_removed", { n: act.comments + act.messages }));
        box.closest("dialog")?.close();
      }
      changed();
    } catch (error) {
      wrong.textContent = words(error);
      changed(); // the log has what was done until then
    }
    mute.disabled = remove.disabled = false;
  };
  return h("form", { class: "moderation-form", submit }, h("label", { class: "field" }, t("moderation.ui.reason"), reason),
    h("p", { class: "soft small" }, t("moderation.ui.bulk_note")), h("div", { class: "row" }, mute, remove), wrong);
}

/** Continues an act until it is done, and returns it. */
export async function finish(operator: Operator, act: BulkAct): Promise<BulkAct> {
  while (!act.done) act = await operator.carryOn(act.id);
  return act;
}
