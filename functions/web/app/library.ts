/** The page of the library: its folders, their sub-tabs, the channels in those, and the addresses of it all. */

import { tell } from "./api";
import { folderMenu, groupMenu, moveFolder, moveGroup, newFolder, newGroup } from "./own/acts";
import { tellOf, words } from "./own/ask";
import { Desk } from "./own/desk";
import { Feed } from "./own/feed";
import { Following } from "./own/following";
import { Items, lineOf } from "./own/items";
import { dragging } from "./own/order";
import { Public } from "./own/public";
import { broken, channelPath, lineUp, show } from "./own/rows";
import { groupName, most, size } from "./own/shelf";
import { Tabs } from "./own/tabs";
import { exportLibrary, importLibrary } from "./own/transfer";
import { leaving } from "./page";
import { count, t } from "./texts";

const at = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E;

/** Shows the library, and lets one change it. */
export function library(): void {
  const signal = leaving();
  const path = location.pathname;
  const desk = new Desk(draw);
  const ended = (): void => draw();
  const folders = new Tabs(at("folders"), { panel: "folder", pick: (id) => desk.go(id), move: (id, to) => moveFolder(desk, id, to), ended });
  const groups = new Tabs(at("groups"), { panel: "group", pick: (id) => desk.go(desk.folder?.id, id), move: (id, to) => moveGroup(desk, id, to), ended });
  const items = new Items(at("items"), desk);
  const feed = new Feed(desk);
  const shared = new Public(desk), following = new Following();
  let opened = false;

  function draw(): void {
    if (!opened || dragging() || signal.aborted) return;
    shared.draw(signal);
    const { folder, group } = desk;
    const { categories } = desk.shelf.library;
    if (!folder) return drawEmpty();
    at("blank").replaceChildren();
    at("library").hidden = false;
    at("tools").classList.remove("unready");
    folders.draw(categories.map((folder) => ({ id: folder.id, name: folder.name, count: size(folder) })), folder.id);
    groups.draw(folder.groups.map((group) => ({ id: group.id, name: groupName(group), count: group.items.length })), group?.id);
    items.draw();
    at("folder-name").textContent = folder.name;
    at("folder-size").textContent = count("library.ui.channels", size(folder));
    label("folder-more", t("library.ui.folder_options", { name: folder.name }));
    label("group-more", t("library.ui.group_options", { name: group ? groupName(group) : "" }));
    at("group-more").hidden = !group;
    at("no-items").hidden = (group?.items.length ?? 0) > 0;
    at("order-help").hidden = (group?.items.length ?? 0) < 2;
    limit("new-folder", categories.length >= most.folders, t("keep.ui.folders_full", { most: most.folders }));
    limit("new-group", folder.groups.length >= most.groups, t("library.ui.groups_full", { most: most.groups }));
    at<HTMLButtonElement>("play-folder").disabled = lineOf(folder).every((item) => item.gone);
    feed.draw();
    if (location.pathname === path) history.replaceState(history.state, "", path + location.search + desk.hash);
  }

  function drawEmpty(): void {
    at("library").hidden = true;
    at("tools").classList.add("unready");
    show(at("blank"), "#empty");
  }

  /** Opens the first channel of the folder, whence the arrows go through the others. */
  function play(): void {
    const { folder } = desk;
    if (!folder) return;
    const line = lineOf(folder).filter((item) => !item.gone);
    const first = line.find((item) => item.playable_hint) ?? line[0];
    if (!first) return;
    lineUp(folder.name, line.map((item) => items.named(item)));
    tell(`/api/items/${first.id}/play`);
    location.assign(channelPath(first.channel_id));
  }

  async function open(): Promise<void> {
    try {
      await desk.shelf.open();
      if (signal.aborted) return;
      desk.goTo(location.hash);
      await items.fetch();
      if (signal.aborted) return;
      opened = true;
      at("waiting").hidden = true;
      draw();
      void following.open(signal);
    } catch (error) {
      if (signal.aborted) return;
      at("waiting").hidden = true;
      at("blank").replaceChildren(broken(words(error), () => {
        at("blank").replaceChildren();
        at("waiting").hidden = false;
        void open();
      }));
    }
  }

  at("new-folder").addEventListener("click", () => newFolder(desk));
  at("new-group").addEventListener("click", () => { if (desk.folder) newGroup(desk, desk.folder); });
  at("folder-more").addEventListener("click", () => { if (desk.folder) folderMenu(desk, desk.folder); });
  at("group-more").addEventListener("click", () => { if (desk.folder && desk.group) groupMenu(desk, desk.folder, desk.group); });
  at("play-folder").addEventListener("click", play);
  at("import").addEventListener("click", () => importLibrary(desk));
  at("export").addEventListener("click", () => void exportLibrary());
  at("blank").addEventListener("click", (event) => {
    const what = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-do]")?.dataset["do"] : "";
    if (what === "folder") newFolder(desk);
    if (what === "import") importLibrary(desk);
  });
  addEventListener("hashchange", () => { if (location.pathname === path) { desk.goTo(location.hash); draw(); } }, { signal });
  addEventListener("pageshow", (event) => { if (event.persisted) desk.shelf.open().catch(tellOf); }, { signal });
  document.addEventListener("account", () => { desk.shelf.open().catch(tellOf); void shared.open(signal); void following.open(signal); }, { signal });
  void open();
}

function label(id: string, text: string): void {
  at(id).setAttribute("aria-label", text);
  at(id).title = text;
}

/** Lets a button be pressed unless its limit is reached, which it then tells. */
function limit(id: string, reached: boolean, text: string): void {
  at<HTMLButtonElement>(id).disabled = reached;
  at(id).title = reached ? text : "";
}
