/** Shows where in a library something may go: its folders, and the sub-tabs of each. */

import { h, icon } from "../dom";
import { t } from "../texts";
import { groupName, most, type Folder, type Group, type Library } from "./shelf";

export interface Choosing {
  /** What is there already. */
  holds(group: Group): boolean;
  /** Whether a sub-tab may be pressed. */
  open(group: Group): boolean;
  pick(folder: Folder, group: Group): void;
  /** Makes a sub-tab in a folder; without it, none can be made. */
  add?(folder: Folder): void;
}

/** Draws the folders with their sub-tabs as buttons, pressed where something is already. */
export function places(library: Library, choosing: Choosing): HTMLElement[] {
  return library.categories.map((folder) => h("section", { class: "place" },
    h("h3", { class: "place-name", dir: "auto" }, folder.name),
    h("div", { class: "chips" }, ...folder.groups.map((group) => choice(folder, group, choosing)), addition(folder, choosing))));
}

function choice(folder: Folder, group: Group, choosing: Choosing): HTMLElement {
  const holds = choosing.holds(group);
  return h("button", {
    class: "chip", type: "button", "aria-pressed": String(holds), disabled: !choosing.open(group), "data-group": group.id,
    title: group.items.length >= most.items ? t("keep.ui.full") : null, click: () => choosing.pick(folder, group),
  }, holds && icon("check"), h("span", { class: "tab-name", dir: "auto" }, groupName(group)),
  h("span", { class: "count" }, t("keep.ui.of", { n: group.items.length, most: most.items })));
}

function addition(folder: Folder, { add }: Choosing): HTMLElement | null {
  if (!add || folder.groups.length >= most.groups) return null;
  return h("button", { class: "chip quiet", type: "button", click: () => add(folder) }, icon("plus"), t("keep.ui.new_group"));
}
