/** The channels of guides that match nothing, and the pins that say what they are. */

import { h, toast } from "../dom";
import { count, t } from "../texts";
import type { Desk } from "./desk";
import type { Items } from "./types";
import { badge, button, code, confirm, more, part, table, time } from "./view";

interface Unmatched {
  id: string;
  name: string;
  reason: string;
  nearest_id: string;
  nearest_name: string;
}

interface Source {
  name: string;
  location: string;
  problem: string;
  read_at: string | null;
  channels: number;
  matched: number;
  unmatched: number;
  items: Unmatched[];
}

interface Pin {
  id: string;
  source: string;
  guide_id: string;
  channel_id: string | null;
  at: string;
}

const pinsPath = "/api/admin/guide/pins";

export async function guides(desk: Desk): Promise<HTMLElement[]> {
  const [sources, pins] = await Promise.all([
    desk.session.call<Items<Source>>("GET", "/api/admin/guide/unmatched"), desk.session.call<Items<Pin>>("GET", pinsPath),
  ]);
  return [
    part(t("operator.ui.unmatched"), h("p", { class: "soft" }, t("operator.ui.unmatched_note")),
      ...(sources.items.length ? sources.items.map((one) => source(desk, one)) : [h("p", { class: "soft" }, t("operator.ui.no_guides"))])),
    part(t("operator.ui.pins"), table(t("operator.ui.pins"), [t("operator.ui.guide_channel"), t("operator.ui.source"), t("operator.ui.is"), t("operator.ui.at"), ""],
      pins.items.map((pin) => [code(pin.guide_id), pin.source, pin.channel_id === null ? t("operator.ui.no_channel") : code(pin.channel_id), time(pin.at),
        button(t("operator.ui.unpin"), () => unpin(desk, pin), { "aria-label": t("operator.ui.unpin_channel", { id: pin.guide_id }) })]), t("operator.ui.no_pins"))),
  ];
}

function source(desk: Desk, it: Source): HTMLElement {
  const title = h("span", {}, h("strong", {}, it.name), " ", h("bdi", { class: "soft" }, it.location), " ", count("operator.ui.unmatched_n", it.unmatched), " ", time(it.read_at),
    it.problem !== "" && badge("bad", it.problem));
  return more(title, table(it.name, [t("operator.ui.guide_channel"), t("operator.ui.name"), t("operator.ui.why"), t("operator.ui.nearest"), ""],
    it.items.map((channel) => [code(channel.id), h("bdi", {}, channel.name), channel.reason, channel.nearest_id ? h("span", {}, h("bdi", {}, channel.nearest_name), " ", code(channel.nearest_id)) : "–",
      button(t("operator.ui.pin"), () => pin(desk, it.name, channel), { "aria-label": t("operator.ui.pin_channel", { id: channel.id }) })]), t("operator.ui.all_matched")));
}

function pin(desk: Desk, source: string, channel: Unmatched): void {
  confirm({
    title: t("operator.ui.pin_channel", { id: channel.id }), text: channel.nearest_id ? t("operator.ui.pin_note", { nearest: channel.nearest_id }) : t("operator.ui.pin_id_note"), label: t("operator.ui.pin"),
    fields: [{ name: "channel", label: t("operator.ui.is"), longest: 128, required: !channel.nearest_id }],
    run: async ({ channel: id }) => {
      await desk.session.call("POST", pinsPath, { source, guide_id: channel.id, channel_id: id || channel.nearest_id });
      toast(t("moderation.ui.done"));
      desk.refresh();
    },
  });
}

function unpin(desk: Desk, { id, guide_id }: Pin): void {
  confirm({
    title: t("operator.ui.unpin_channel", { id: guide_id }), text: t("operator.ui.unpin_note"), label: t("operator.ui.unpin"),
    run: async () => {
      await desk.session.call("DELETE", `${pinsPath}/${encodeURIComponent(id)}`);
      toast(t("moderation.ui.done"));
      desk.refresh();
    },
  });
}
