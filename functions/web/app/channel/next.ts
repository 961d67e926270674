/** The list beside the player: the channels that come next, of the list that one came from or of the country. */

import { $, h } from "../dom";
import { plate } from "../plate";
import { t } from "../texts";
import type { Line, Stop } from "../zap";

const most = 50; // rows

/** Shows what comes after the stop at an index of a line. The page may show the same already. */
export function drawNext({ title, stops }: Line, at: number): void {
  const box = $("#next");
  const list = $(".next-list", box ?? document);
  const rows = [...stops.slice(at + 1), ...stops.slice(0, Math.max(at, 0))].slice(0, most);
  if (!box || !list || rows.length === 0) return;
  if (shown(list) === rows.map(({ id }) => id).join(" ")) return;
  $("#next-title", box)!.textContent = title ? t("channel.ui.next_of", { name: title }) : t("channel.ui.next");
  list.replaceChildren(...rows.map(row));
  list.scrollTo(0, 0);
  box.hidden = false;
}

function shown(list: HTMLElement): string {
  return [...list.children].map((row) => (row as HTMLElement).dataset["id"]).join(" ");
}

function row(stop: Stop): HTMLElement {
  return h("li", { class: "next", "data-id": stop.id }, h("a", { class: "next-link", href: stop.path, "data-channel": stop.id },
    plate(stop), h("span", { class: "next-text" }, h("span", { class: "next-name", dir: "auto" }, stop.name))));
}
