/** The reminders that are set, as a list. */

import { $, dialog, h, icon, iconButton } from "../dom";
import { number, span, t } from "../texts";
import { leaving } from "../page";
import { toggle } from "./remind";
import { reminders, type Reminder } from "./reminders";

/** Makes the button of the page open the list, and tell how many there are. */
export function reminderList(): void {
  const signal = leaving();
  const draw = (): void => {
    const n = reminders().length;
    const count = $("#reminders-count");
    if (count) count.textContent = n > 0 ? number(n) : "";
  };
  $("#reminders")?.addEventListener("click", () => open(), { signal });
  document.addEventListener("reminders", draw, { signal });
  addEventListener("storage", draw, { signal });
  draw();
}

function open(): void {
  const body = h("div", { class: "reminder-list" });
  const draw = (): void => {
    const all = reminders();
    body.replaceChildren(all.length > 0 ? h("ul", { class: "reminder-rows" }, ...all.map(row)) : h("p", { class: "soft" }, t("schedule.ui.none_yet")));
  };
  draw();
  document.addEventListener("reminders", draw);
  dialog(t("schedule.ui.reminders"), body).addEventListener("close", () => document.removeEventListener("reminders", draw));
}

function row(one: Reminder): HTMLElement {
  return h("li", { class: "reminder-row" },
    h("span", { class: "reminder-text" }, h("b", { dir: "auto" }, one.title), h("span", { class: "small soft" }, h("bdi", {}, one.name), ` · ${span(one.start, one.stop)}`)),
    h("a", { class: "icon-button", href: one.path, "aria-label": `${t("schedule.ui.watch")}: ${one.name}`, title: t("schedule.ui.watch") }, icon("play")),
    iconButton("trash", `${t("schedule.ui.forget")}: ${one.title}`, () => void toggle(one)));
}
