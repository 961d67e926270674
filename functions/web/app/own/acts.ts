/** What one can do with folders and sub-tabs. */

import { dialog, h } from "../dom";
import { count, t } from "../texts";
import { askName, confirm, menu } from "./ask";
import type { Desk } from "./desk";
import { groupName, most, move, size, type Folder, type Group, type Library } from "./shelf";

export function newFolder(desk: Desk): void {
  if (desk.shelf.library.categories.length >= most.folders) {
    desk.say(t("keep.ui.folders_full", { most: most.folders }));
    return;
  }
  askName(t("keep.ui.new_folder"), {
    label: t("keep.ui.folder_name"), action: t("keep.ui.create"),
    save: async (name) => {
      const made = await desk.shelf.change<Library & { id: string }>("POST", "/api/categories", { name });
      desk.go(made.id);
    },
  });
}

export function newGroup(desk: Desk, folder: Folder): void {
  askName(t("keep.ui.new_group"), {
    label: t("keep.ui.group_name"), action: t("keep.ui.create"),
    save: async (name) => {
      const made = await desk.shelf.change<Library & { id: string }>("POST", "/api/groups", { category_id: folder.id, name });
      desk.go(folder.id, made.id);
    },
  });
}

export function moveFolder(desk: Desk, id: string, to: number): void {
  const { categories } = desk.shelf.library;
  const from = categories.findIndex((folder) => folder.id === id);
  if (from < 0 || to < 0 || to >= categories.length) return;
  desk.say(t("library.ui.placed", { name: categories[from]!.name, n: to + 1, of: categories.length }));
  desk.try(desk.shelf.change("POST", `/api/categories/${id}/position`, { position: to }, (library) => move(library.categories, from, to)));
}

export function moveGroup(desk: Desk, id: string, to: number): void {
  const place = desk.shelf.group(id);
  if (!place || to < 0 || to >= place.folder.groups.length) return;
  const from = place.folder.groups.findIndex((group) => group.id === id);
  desk.say(t("library.ui.placed", { name: groupName(place.group), n: to + 1, of: place.folder.groups.length }));
  desk.try(desk.shelf.change("PATCH", `/api/groups/${id}`, { position: to }, (library) => {
    const folder = library.categories.find((folder) => folder.id === place.folder.id);
    if (folder) move(folder.groups, from, to);
  }));
}

export function folderMenu(desk: Desk, folder: Folder): void {
  const at = desk.shelf.library.categories.findIndex(({ id }) => id === folder.id);
  const end = desk.shelf.library.categories.length - 1;
  menu(folder.name, [
    { icon: "edit", label: t("library.ui.rename"), run: () => renameFolder(desk, folder) },
    { icon: "chevron-left", label: t("library.ui.earlier"), off: at === 0, run: () => moveFolder(desk, folder.id, at - 1) },
    { icon: "chevron-right", label: t("library.ui.later"), off: at === end, run: () => moveFolder(desk, folder.id, at + 1) },
    { icon: "trash", label: t("library.ui.delete_folder"), danger: true, run: () => deleteFolder(desk, folder, at) },
  ]);
}

function renameFolder(desk: Desk, folder: Folder): void {
  askName(t("library.ui.rename_folder"), {
    label: t("keep.ui.folder_name"), action: t("library.ui.rename"), value: folder.name, note: t("library.ui.rename_warns"),
    save: (name) => desk.shelf.change("PATCH", `/api/categories/${folder.id}`, { name }),
  });
}

function deleteFolder(desk: Desk, folder: Folder, at: number): void {
  confirm(t("library.ui.delete_folder"), count("library.ui.delete_sure", size(folder), { name: folder.name }), t("library.ui.delete"), () => {
    desk.try(desk.shelf.change("DELETE", `/api/categories/${folder.id}`), () => {
      desk.offer(t("library.ui.deleted", { name: folder.name }), t("keep.ui.undo"), async () => {
        const back = await restore(desk, folder, folder.groups);
        if (back) await desk.shelf.change("POST", `/api/categories/${back.id}/position`, { position: at });
        desk.go(back?.id);
      });
    });
  });
}

/** Puts sub-tabs of a folder back as a backup is, and returns the folder that has them. */
async function restore(desk: Desk, folder: Folder, groups: Group[]): Promise<Folder | undefined> {
  const backup = new Blob([JSON.stringify({ categories: [{ ...folder, groups }] })], { type: "application/json" });
  const { categories } = await desk.shelf.change<Library>("POST", "/api/library/import", backup);
  return categories.find(({ slug }) => slug === folder.slug);
}

export function groupMenu(desk: Desk, folder: Folder, group: Group): void {
  const at = folder.groups.findIndex(({ id }) => id === group.id);
  const others = desk.shelf.library.categories.filter(({ id }) => id !== folder.id);
  menu(groupName(group), [
    { icon: "edit", label: t("library.ui.rename"), run: () => renameGroup(desk, group) },
    { icon: "chevron-left", label: t("library.ui.earlier"), off: at === 0, run: () => moveGroup(desk, group.id, at - 1) },
    { icon: "chevron-right", label: t("library.ui.later"), off: at === folder.groups.length - 1, run: () => moveGroup(desk, group.id, at + 1) },
    { icon: "move", label: t("library.ui.other_folder"), off: others.length === 0, run: () => regroup(desk, group, others) },
    { icon: "trash", label: t("library.ui.delete_group"), danger: true, run: () => deleteGroup(desk, folder, group, at) },
  ]);
}

function renameGroup(desk: Desk, group: Group): void {
  askName(t("library.ui.rename_group"), {
    label: t("keep.ui.group_name"), action: t("library.ui.rename"), value: groupName(group), note: t("library.ui.rename_warns"),
    save: (name) => desk.shelf.change("PATCH", `/api/groups/${group.id}`, { name }),
  });
}

/** Asks into which folder a sub-tab goes. */
function regroup(desk: Desk, group: Group, folders: Folder[]): void {
  const box = dialog(t("library.ui.other_folder"), h("div", { class: "chips" }, ...folders.map((folder) => h("button", {
    class: "chip", type: "button", disabled: folder.groups.length >= most.groups,
    click: () => {
      box.close();
      desk.try(desk.shelf.change("PATCH", `/api/groups/${group.id}`, { category_id: folder.id }), () => desk.go(folder.id, group.id));
    },
  }, h("span", { class: "tab-name", dir: "auto" }, folder.name), h("span", { class: "count" }, t("keep.ui.of", { n: folder.groups.length, most: most.groups }))))));
}

function deleteGroup(desk: Desk, folder: Folder, group: Group, at: number): void {
  confirm(t("library.ui.delete_group"), count("library.ui.delete_sure", group.items.length, { name: groupName(group) }), t("library.ui.delete"), () => {
    desk.try(desk.shelf.change("DELETE", `/api/groups/${group.id}`), () => {
      desk.offer(t("library.ui.deleted", { name: groupName(group) }), t("keep.ui.undo"), async () => {
        const again = (await restore(desk, folder, [group]))?.groups.find(({ slug }) => slug === group.slug);
        if (again) await desk.shelf.change("PATCH", `/api/groups/${again.id}`, { position: at });
        desk.go(folder.id, again?.id);
      });
    });
  });
}
