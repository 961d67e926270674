/** The authors that this visitor hides, each with a way back. */

import { call } from "./api";
import { dialog, h } from "./dom";
import { tellOf, words } from "./own/ask";
import { since, t } from "./texts";

interface Author {
  id: string;
  name: string;
  since: string;
}

const path = "/api/moderation/hidden";

/** Shows them in a dialog. `changed` is called after an author is shown again. */
export async function hiddenAuthors(changed: () => void): Promise<void> {
  const list = h("ul", { class: "hidden-authors" });
  const note = h("p", { class: "soft", role: "status" });
  dialog(t("comments.ui.hidden"), list, note);
  const check = (): void => { note.textContent = list.children.length > 0 ? "" : t("comments.ui.hidden_empty"); };
  try {
    const { items } = await call<{ items: Author[] }>("GET", path);
    list.append(...items.map((author) => row(author, () => {
      check();
      changed();
    })));
    check();
  } catch (error) {
    note.textContent = words(error);
  }
}

/** Makes the line of an author. */
function row(author: Author, shown: () => void): HTMLLIElement {
  const show = async (): Promise<void> => {
    button.disabled = true;
    try {
      await call("DELETE", `${path}/${encodeURIComponent(author.id)}`);
      item.remove();
      shown();
    } catch (error) {
      button.disabled = false;
      tellOf(error);
    }
  };
  const button = h("button", { type: "button", class: "button", click: show }, t("comments.ui.hidden_show"));
  const item: HTMLLIElement = h("li", {}, h("bdi", {}, author.name), h("time", { class: "soft", datetime: author.since }, since(author.since)), button);
  return item;
}
