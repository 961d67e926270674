/** What of the library is public: its state, and the dialog that publishes folders. */

import { call, isOwner } from "../api";
import { dialog, h, toast } from "../dom";
import { count, t } from "../texts";
import { confirm, tellOf, words } from "./ask";
import type { Desk } from "./desk";
import { publicPath } from "./rows";

/** What everybody sees. */
interface Shown {
  name: string;
  title: string;
  about: string | null;
  author: string | null;
  listed: boolean;
  followers: number | null;
  folders: { name: string; groups: { name: string; slug: string; items: { name: string }[] }[] }[];
  _links: { page: string };
}

interface Own {
  published: boolean;
  hidden: { reason: string } | null;
  folders: string[];
  public: Shown | null;
}

const path = "/api/library/public";

/** The part of the page about what is public. */
export class Public {
  private readonly box = document.getElementById("public") as HTMLElement;
  private readonly state = document.getElementById("public-state") as HTMLElement;

  private own: Own | null = null; // as it was read last
  private asked = false; // whether it was read, or is being read

  constructor(private readonly desk: Desk) {}

  /** Shows the part while there is something to publish. It reads what is public as soon as the visitor keeps something. */
  draw(signal: AbortSignal): void {
    if (isOwner() && !this.asked) void this.open(signal);
    else this.place();
  }

  /** Reads what is public, and shows it. A visitor who keeps nothing has nothing to publish. */
  async open(signal: AbortSignal): Promise<void> {
    this.asked = isOwner();
    this.own = null;
    this.place();
    if (!this.asked) return;
    try {
      const own = await call<Own>("GET", path);
      if (!signal.aborted) this.show(own);
    } catch (error) {
      if (!signal.aborted) this.state.replaceChildren(h("p", { class: "wrong" }, words(error)));
    }
  }

  /** Shows or hides the part. */
  private place(): void {
    const { own } = this;
    this.box.hidden = !isOwner() || this.desk.shelf.library.categories.length === 0 && !own?.published && !own?.hidden;
  }

  private show(own: Own): void {
    this.own = own;
    this.place();
    const { public: shown } = own;
    this.state.replaceChildren(
      ...(own.hidden ? [h("p", { class: "wrong" }, t("library.ui.public_hidden", { reason: own.hidden.reason }))] : []),
      ...(shown && !own.hidden ? [h("p", {}, ...around(t("library.ui.public_at"), h("a", { href: publicPath(shown.name) }, shown._links.page)))] : []),
      ...(shown?.followers ? [h("p", { class: "soft" }, count("library.ui.followers", shown.followers))] : []),
      h("div", { class: "row" },
        h("button", { class: "button", type: "button", id: "public-edit", click: () => this.edit(own) }, t(own.published ? "library.ui.public_change" : "library.ui.public_make")),
        own.published && h("button", { class: "button danger", type: "button", id: "public-end", click: () => this.end() }, t("library.ui.public_end"))));
  }

  private end(): void {
    confirm(t("library.ui.public_end"), t("library.ui.public_end_sure"), t("library.ui.public_end"), () => {
      call("DELETE", path).then(() => call<Own>("GET", path)).then((own) => {
        this.show(own);
        toast(t("library.ui.public_ended"));
      }, tellOf);
    });
  }

  /** Asks what to publish, shows what strangers will see, and publishes it. */
  private edit(own: Own): void {
    const { public: shown } = own;
    const name = h("input", { name: "name", required: true, minlength: 3, maxlength: 30, pattern: "[a-z0-9]+(-[a-z0-9]+)*", autocomplete: "off", autocapitalize: "none", spellcheck: "false", dir: "ltr", value: shown?.name ?? "" });
    const title = h("input", { name: "title", required: true, maxlength: 60, autocomplete: "off", dir: "auto", value: shown?.title ?? "" });
    const about = h("textarea", { name: "about", rows: 3, maxlength: 500, dir: "auto" }, shown?.about ?? "");
    const author = h("input", { name: "author", maxlength: 40, autocomplete: "off", dir: "auto", value: shown?.author ?? "" });
    const listed = h("input", { type: "checkbox", name: "listed", checked: shown?.listed === true });
    const folders = this.desk.shelf.library.categories.map((folder) => ({
      box: h("input", { type: "checkbox", name: "folder", value: folder.id, checked: own.folders.includes(folder.id) }), name: folder.name,
    }));
    const wrong = h("p", { class: "wrong", role: "alert" });
    const seen = h("div", { class: "public-preview", role: "status" });
    const look = h("button", { class: "button", type: "submit", value: "preview" }, t("library.ui.public_preview"));
    const publish = h("button", { class: "button primary", type: "submit", value: "publish" }, t("library.ui.public_publish"));
    const submit = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault();
      const preview = (event.submitter as HTMLButtonElement | null)?.value !== "publish";
      look.disabled = publish.disabled = true;
      wrong.textContent = "";
      try {
        const answer = await call<Own>("PUT", path, {
          name: name.value.trim(), title: title.value, about: about.value, author: author.value, listed: listed.checked, preview,
          folders: folders.filter(({ box }) => box.checked).map(({ box }) => box.value),
        });
        if (preview) {
          if (answer.public) seen.replaceChildren(h("p", { class: "soft" }, t("library.ui.public_preview_text")), previewOf(answer.public));
          seen.scrollIntoView({ block: "nearest" });
        } else {
          box.close();
          this.show(answer);
          toast(t("library.ui.public_published"));
        }
      } catch (error) {
        wrong.textContent = words(error);
      }
      look.disabled = publish.disabled = false;
    };
    const form = h("form", { class: "form public-form", submit },
      h("label", { class: "field" }, t("library.ui.public_name"), name, h("span", { class: "soft small" }, t("library.ui.public_name_help"))),
      h("label", { class: "field" }, t("library.ui.public_title"), title),
      h("label", { class: "field" }, t("library.ui.public_about"), about),
      h("label", { class: "field" }, t("library.ui.public_author"), author),
      h("fieldset", {}, h("legend", {}, t("library.ui.public_folders")), ...folders.map(({ box, name }) => h("label", { class: "row" }, box, h("bdi", {}, name)))),
      h("label", { class: "row" }, listed, h("span", {}, t("library.ui.public_listed"))),
      h("div", { class: "row" }, publish, look), wrong, seen);
    const box = dialog(t("library.ui.public"), form);
    name.focus();
  }
}

/** Makes what strangers will see of a public library: every word of it, and its channels. */
function previewOf(shown: Shown): HTMLElement {
  return h("div", { class: "panel" },
    h("p", {}, h("code", { dir: "ltr" }, shown._links.page)),
    h("h3", { dir: "auto" }, shown.title), h("p", { class: "soft" }, shown.author ?? t("library.ui.public_anonymous")),
    shown.about && h("p", { class: "public-about", dir: "auto" }, shown.about),
    ...shown.folders.map((folder) => h("div", {}, h("h4", { dir: "auto" }, folder.name),
      ...folder.groups.map((group) => h("p", { class: "small" }, h("strong", {}, h("bdi", {}, group.slug === "geral" ? t("keep.ui.general") : group.name)), ": ",
        h("span", { dir: "auto" }, group.items.map((item) => item.name).join(", ") || "–"))))));
}

/** Puts an element in place of the address in a text. */
function around(text: string, element: HTMLElement): (string | Node)[] {
  const [before = "", after = ""] = text.split("{address}");
  return [before, element, after];
}
