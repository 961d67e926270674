/** The sheet of a programme: what it is, when, and what to do about it. */

import { ask } from "../api";
import { dialog, h, icon, setIcon } from "../dom";
import { remember, type Line } from "../zap";
import { locale, span, t } from "../texts";
import type { Programme } from "../types";
import { toggle } from "./remind";
import { reminds, type Reminder } from "./reminders";

/** A programme of a channel. */
export interface Listed {
  id: string;
  name: string;
  path: string;
  of: Programme;
  /** The list that the channel is watched from. */
  line?: Line | undefined;
}

/** Returns what a programme is remembered by. */
export function reminderOf({ id, name, path, of }: Listed): Reminder {
  return { id, name, path, title: of.titulo, start: of.inicio, stop: of.fim };
}

/** Returns the address of the calendar file of a programme. */
export function calendarOf(id: string, start: string): string {
  return `/api/channels/${encodeURIComponent(id)}/guia.ics?${new URLSearchParams({ start, lang: locale })}`;
}

/** Opens the sheet of a programme. */
export function openSheet(listed: Listed): void {
  const { name, path, of } = listed;
  const coming = Date.parse(of.inicio) > Date.now();
  const about = h("p", { class: "sheet-desc", dir: "auto", hidden: true });
  const watch = h("a", { class: coming ? "button" : "button primary", href: path, click: () => leave(listed) }, icon("play"), t("schedule.ui.watch"));
  const box = dialog(of.titulo,
    h("p", { class: "sheet-when" }, h("b", { dir: "auto" }, name), h("span", { class: "soft" }, span(of.inicio, of.fim)), of.categoria && h("span", { class: "soft", dir: "auto" }, of.categoria)),
    about,
    h("div", { class: "row" }, watch, coming && remindButton(listed),
      coming && h("a", { class: "button", href: calendarOf(listed.id, of.inicio), download: "programme.ics" }, icon("calendar"), t("schedule.ui.calendar"))));
  box.classList.add("sheet");
  watch.focus();
  void describe(listed).then((text) => {
    about.textContent = text;
    about.hidden = text === "";
  });
}

function leave({ line }: Listed): void {
  document.querySelector("dialog[open]")?.remove();
  if (line) remember(line);
  try {
    sessionStorage.setItem("mm-play", "1");
  } catch {
    // Then the channel waits for a press.
  }
}

function remindButton(listed: Listed): HTMLElement {
  const mark = icon("bell");
  const said = h("span", {}, "");
  const button = h("button", { type: "button", class: "button primary", click: () => { draw(toggle(reminderOf(listed))); } }, mark, said);
  const draw = (on: boolean): void => {
    button.setAttribute("aria-pressed", String(on));
    button.classList.toggle("primary", !on);
    setIcon(button, on ? "check" : "bell");
    said.textContent = t(on ? "schedule.ui.reminded" : "schedule.ui.remind");
  };
  draw(reminds({ id: listed.id, start: listed.of.inicio }));
  return button;
}

interface Day {
  programas: Programme[];
}

/** Returns the description of a programme, which lists of many channels leave out; empty when there is none. */
async function describe({ id, of }: Listed): Promise<string> {
  const today = new Date().toISOString().slice(0, 10);
  const day = of.inicio.slice(0, 10) > today ? of.inicio.slice(0, 10) : today; // a programme that began yesterday is among those of today
  const answer = await ask<Day>("GET", `/api/channels/${encodeURIComponent(id)}/guia?day=${day}`, undefined).catch(() => null);
  return answer?.programas.find(({ inicio }) => inicio === of.inicio)?.desc ?? "";
}
