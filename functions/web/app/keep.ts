/**
 * The buttons of favorites and of the library, wherever they are: those that the
 * page has, and those that come later.
 */

import { call, Failure, isOwner } from "./api";
import { $, $$, afterPaint, dialog, h, setIcon, toast } from "./dom";
import { kept, noteKept } from "./kept";
import { askName, nameForm, tellOf, words } from "./own/ask";
import { places } from "./own/places";
import { groupName, most, Shelf, type Folder, type Group, type Library } from "./own/shelf";
import { t } from "./texts";
import type { Page } from "./types";

/** What the document is told, as "favorite", when a channel became a favorite or is one no more: count is of people. */
export interface Favored {
  id: string;
  on: boolean;
  count: number;
}

/** The favorites of this browser, by id; null until they are read. */
let favorites: Set<string> | null = null;

let started = false;

/** Shows on the buttons what they stand for, now and when more come. Called again, it does nothing. */
export function keep(): void {
  if (started) return;
  started = true;
  new MutationObserver(paint).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-favorite", "data-keep"] });
  addEventListener("pageshow", (event) => { if (event.persisted) void readFavorites(); });
  document.addEventListener("kept", paint);
  document.addEventListener("account", () => {
    favorites = new Set(); // of another owner
    noteKept(null);
    void readFavorites();
    void readKept();
  });
  void readFavorites();
  void readKept();
}

/** Does what a button that was pressed is for. */
export function press(button: HTMLElement): void {
  const { favorite, keep } = button.dataset;
  if (favorite) toggle(favorite);
  else if (keep) afterPaint(() => void choose(keep, nameBy(button)));
}

/** What was pressed since the favorites were last asked for, which the answer may not know. */
const pressed = new Map<string, boolean>();

async function readFavorites(): Promise<void> {
  if (!isOwner()) return;
  pressed.clear();
  const ids = new Set<string>();
  try {
    for (let offset: number | null = 0; offset !== null;) {
      const page: Page<{ channel_id: string }> = await call("GET", `/api/favorites?limit=50&offset=${offset}`);
      for (const item of page.items) ids.add(item.channel_id);
      offset = page.next_offset;
    }
  } catch {
    return; // hearts stay empty; pressing one tells what is wrong
  }
  favorites = ids;
  for (const [id, on] of pressed) put(id, on);
  paint();
}

/** Learns what the library holds where this browser does not know it. */
async function readKept(): Promise<void> {
  if (!kept() && isOwner()) await new Shelf(() => {}).open().catch(() => {}); // a shelf notes what it reads
  else paint();
}

/** Shows on each button whether its channel is a favorite, or in the library. */
function paint(): void {
  const held = kept();
  for (const button of held ? $$("[data-keep]") : []) {
    const on = held!.has(button.dataset["keep"] ?? "");
    if (on !== button.hasAttribute("data-kept")) mark(button, on);
  }
  for (const button of favorites ? $$("[data-favorite]") : []) {
    const on = String(favorites?.has(button.dataset["favorite"] ?? "") ?? false);
    if (button.getAttribute("aria-pressed") !== on) button.setAttribute("aria-pressed", on);
  }
}

/** Shows on the button that saves a channel whether the library has it. The button of a card has a label alone. */
function mark(button: HTMLElement, on: boolean): void {
  button.toggleAttribute("data-kept", on);
  setIcon(button, on ? "folder-check" : "folder-add");
  const label = button.getAttribute("aria-label");
  if (label === null) return;
  button.dataset["label"] ??= label;
  button.setAttribute("aria-label", on ? t("keep.ui.holds", { name: nameBy(button) }) : button.dataset["label"]);
}

/** Favorites are changed one after the other, so that the last press is what holds. */
let last: Promise<unknown> = Promise.resolve();

/** What the service has of those that were pressed, as far as it has answered, and how many answers are to come. */
const held = new Map<string, boolean>(), due = new Map<string, number>();

/** Makes a channel a favorite, or one no more: shown at once, and as the service has it when it refuses and nothing was pressed since. */
export function toggle(id: string): void {
  favorites ??= new Set($$('[data-favorite][aria-pressed="true"]').map((button) => button.dataset["favorite"] ?? ""));
  const on = !favorites.has(id);
  if (!held.has(id)) held.set(id, !on);
  due.set(id, (due.get(id) ?? 0) + 1);
  set(id, on);
  last = last.then(() => send(id, on)).then((count) => {
    held.set(id, on);
    document.dispatchEvent(new CustomEvent<Favored>("favorite", { detail: { id, on, count } }));
  }).catch(tellOf).finally(() => {
    const left = (due.get(id) ?? 1) - 1;
    due.set(id, left);
    if (left > 0) return;
    set(id, held.get(id) ?? on);
    held.delete(id); // another tab may change it
  });
}

function set(id: string, on: boolean): void {
  pressed.set(id, on);
  put(id, on);
  paint();
}

function put(id: string, on: boolean): void {
  if (on) favorites?.add(id);
  else favorites?.delete(id);
}

async function send(id: string, on: boolean): Promise<number> {
  type Answer = { favorites: number };
  if (on) return (await call<Answer>("POST", "/api/favorites", { channel_id: id })).favorites;
  try {
    return (await call<Answer>("DELETE", `/api/favorites/${encodeURIComponent(id)}`)).favorites;
  } catch (error) {
    if (error instanceof Failure && error.code === "favorite_not_found") return 0; // as was asked for
    throw error;
  }
}

/** Finds what the channel of a button is called. */
function nameBy(button: HTMLElement): string {
  const near = button.closest("[data-id]") ?? document.getElementById("main");
  return $(".card-link, .row-name, h1", near ?? document)?.textContent?.trim() ?? "";
}

/** Opens the dialog that keeps a channel in the library. */
async function choose(channel: string, name: string): Promise<void> {
  const box = h("div", { class: "places", "aria-busy": "true" }, h("div", { class: "skeleton place-waits" }));
  const wrong = h("p", { class: "wrong", role: "alert" });
  const around = dialog(t("keep.ui.title"), name && h("p", { class: "keep-name", dir: "auto" }, name), box, wrong);
  const shelf = new Shelf(draw);
  const fail = (error: unknown): void => { wrong.textContent = words(error); };

  function held(group: Group): string | undefined {
    return group.items.find((item) => item.channel_id === channel)?.id;
  }

  function add(group: string): Promise<void> {
    return shelf.change("POST", "/api/items", { group_id: group, channel_id: channel }).then(() => done(group));
  }

  function done(group: string): void {
    const at = shelf.group(group);
    around.close();
    if (at) toast(t("keep.ui.kept", { folder: at.folder.name, group: groupName(at.group) }), { label: t("keep.ui.open"), run: () => location.assign(libraryPath(at.folder, at.group)) });
  }

  function pick(_: Folder, group: Group): void {
    wrong.textContent = "";
    const id = held(group);
    if (id) shelf.change("DELETE", `/api/items/${id}`).catch(fail);
    else add(group.id).catch(fail);
  }

  function addGroup(folder: Folder): void {
    askName(t("keep.ui.new_group"), {
      label: t("keep.ui.group_name"), action: t("keep.ui.create"),
      save: (name) => shelf.change<Library & { id: string }>("POST", "/api/groups", { category_id: folder.id, name }).then(({ id }) => add(id)),
    });
  }

  function draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset["group"];
    const { library } = shelf;
    box.removeAttribute("aria-busy");
    box.replaceChildren(...places(library, { holds: (group) => held(group) !== undefined, open: (group) => held(group) !== undefined || group.items.length < most.items, pick, add: addGroup }));
    box.append(library.categories.length >= most.folders ? h("p", { class: "soft small" }, t("keep.ui.folders_full", { most: most.folders })) : folderForm());
    if (focused) $(`[data-group="${focused}"]`, box)?.focus();
  }

  function folderForm(): HTMLElement {
    const first = shelf.library.categories.length === 0;
    const form = nameForm({
      label: t("keep.ui.folder_name"), action: t("keep.ui.create"), note: first ? t("keep.ui.first") : null,
      save: (name) => shelf.change<Library & { group_id: string }>("POST", "/api/categories", { name }).then((made) => add(made.group_id)),
    }, () => around.close());
    return first ? form : h("details", { class: "place" }, h("summary", {}, t("keep.ui.new_folder")), form);
  }

  try {
    await shelf.open();
    ($(".chip:not(:disabled), input", box))?.focus();
  } catch (error) {
    box.replaceChildren();
    fail(error);
  }
}

/** Returns where a sub-tab is shown. */
export function libraryPath(folder: Folder, group: Group): string {
  return `${document.body.dataset["library"] ?? ""}#${encodeURIComponent(folder.slug)}/${encodeURIComponent(group.slug)}`;
}
