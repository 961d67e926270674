/** The page of the grid: what it shows, and the buttons above it. */

import { call, isOwner } from "../api";
import { $, $$, h, toast } from "../dom";
import { leaving } from "../page";
import { t } from "../texts";
import type { Page } from "../types";
import type { Line, Stop } from "../zap";
import { everyTick, Grid } from "./grid";
import { keys } from "./keys";
import { channelsOf, mine } from "./mine";
import { openSheet } from "./sheet";
import { Tiles, type Item, type Source } from "./tiles";

interface Start {
  now: string;
  total: number;
  items: Item[];
}

/** Draws the grid. */
export function timeline(): void {
  const box = $("#timeline");
  const area = $("#grid");
  if (!box || !area) return;
  const start = JSON.parse($("#data")?.textContent ?? "{}") as Partial<Start>;
  const of = box.dataset["of"] ?? "";
  const menu = $<HTMLSelectElement>("#schedule-country");
  if (menu) void mine(menu, of);
  if (!of) return draw(box, area, { country: box.dataset["country"] ?? "" }, start);
  area.setAttribute("aria-busy", "true");
  void idsOf(of).then((ids) => {
    area.removeAttribute("aria-busy");
    if (!leaving().aborted && area.isConnected) draw(box, area, { ids }, {});
  });
}

/** Returns the channels of the favorites or of a folder that have a guide. */
async function idsOf(of: string): Promise<string[]> {
  const all = isOwner() ? await channelsOf(of).catch(() => []) : [];
  const ids: string[] = [];
  for (let at = 0; at < all.length; at += 50) { // as many as the service takes
    const some = await call<Page<Item>>("GET", `/api/guide/grid?${new URLSearchParams({ ids: all.slice(at, at + 50).join(","), guide: "1", hours: "1" })}`).catch(() => null);
    ids.push(...(some?.items ?? []).map((item) => item.channel_id));
  }
  return ids;
}

function draw(box: HTMLElement, area: HTMLElement, source: Source, start: Partial<Start>): void {
  const signal = leaving();
  const path = (id: string) => (box.dataset["channel"] ?? "").replace(/_$/, encodeURIComponent(id));
  let failing = false;
  let arrived = (): void => {};
  const tiles: Tiles = new Tiles(source, start.total ?? 0, signal, () => { grid.refresh(); arrived(); if (tiles.total === 0) empty(box, area); }, () => {
    if (failing) return;
    failing = true;
    toast(t("schedule.ui.failed"), { label: t("schedule.ui.retry"), run: () => { failing = false; tiles.again(); grid.draw(); } });
  });
  tiles.put(0, start.items ?? []);
  if (tiles.total === 0) return empty(box, area);
  const grid = new Grid(area, tiles, path, () => Date.now());
  grid.place = { row: 0, start: tiles.rows[0]?.shows.find(({ start, stop }) => start <= Date.now() && Date.now() < stop)?.start ?? null };
  grid.show(Date.now());
  const open = () => opened(grid, tiles, path);
  arrived = keys(area, grid, () => tiles.total, open);
  area.addEventListener("scroll", () => grid.later(), { passive: true });
  area.addEventListener("click", (event) => { if (event.target instanceof Element && event.target.closest(".tl-cell")) open(); });
  buttons(box, grid);
  const sizes = new ResizeObserver(() => grid.fit());
  sizes.observe(area);
  const timer = setInterval(() => grid.tick(), everyTick);
  signal.addEventListener("abort", () => { sizes.disconnect(); clearInterval(timer); });
}

/** Opens the programme that has the focus. */
function opened(grid: Grid, tiles: Tiles, path: (id: string) => string): void {
  const { row, start } = grid.place;
  const channel = tiles.rows[row];
  const show = channel?.shows.find((show) => show.start === start);
  if (channel && show) openSheet({ id: channel.id, name: channel.name, path: path(channel.id), of: show.of, line: lineOf(tiles, path) });
}

/** Returns the channels of the grid as the list that one of them is watched from. */
function lineOf(tiles: Tiles, path: (id: string) => string): Line {
  const stops = tiles.rows.filter((row) => row !== undefined).map((row): Stop => ({ id: row.id, name: row.name, path: path(row.id), logo: row.logo, letters: row.letters, size: row.size }));
  return { title: $("h1")?.textContent?.trim() ?? "", from: location.pathname + location.search, next: null, stops };
}

/** Makes the buttons above the grid go to other hours. */
function buttons(box: HTMLElement, grid: Grid): void {
  const tomorrow = new Date();
  tomorrow.setHours(30, 0, 0, 0); // at six of the next day, where the reader is
  const acts: Record<string, () => void> = {
    earlier: () => grid.turn(-1), later: () => grid.turn(1), now: () => grid.show(grid.now()), tomorrow: () => grid.show(tomorrow.getTime()),
  };
  for (const button of $$<HTMLButtonElement>("[data-to]", box)) {
    const to = button.dataset["to"] ?? "";
    if (to === "tomorrow" && tomorrow.getTime() >= grid.frame.to) button.disabled = true;
    button.addEventListener("click", () => acts[to]?.());
  }
}

/** Says that none of the channels has a guide, and leads on. */
function empty(box: HTMLElement, area: HTMLElement): void {
  $(".timeline-acts", box)?.remove();
  area.replaceWith(h("section", { class: "empty" }, h("h2", {}, t("schedule.ui.empty")),
    h("p", {}, h("a", { class: "button", href: box.dataset["channels"] ?? "/" }, t("schedule.ui.channels")))));
}
