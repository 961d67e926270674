/** What people say of a channel. */

import { call, Failure, isOwner, read } from "./api";
import { dialog, h, icon, iconButton, toast } from "./dom";
import { count, locale, moment, since, t } from "./texts";
import type { Page } from "./types";

interface Comment {
  id: string;
  author: string;
  body: string;
  created_at: string;
  mine: boolean;
}

const nameKey = "mm-name";
const pageSize = 20;
const longestName = 40;

/** Shows the comments of a channel in a box, and lets one write. */
export function comments(box: HTMLElement, channel: string): void {
  void new Comments(box, channel).more();
}

/** The room of each box, so that a second call ends the first one's. */
const rooms = new WeakMap<HTMLElement, Comments>();

class Comments {
  private readonly path: string;
  private readonly cancel = new AbortController();
  private readonly list = h("ul", { class: "comment-list" });
  private readonly foot = h("div", { class: "comment-foot" });
  private readonly form: Form;
  private total = 0;
  private next: string | null = `?limit=${pageSize}`; // the query of the next page

  constructor(box: HTMLElement, private readonly channel: string) {
    this.path = `/api/channels/${encodeURIComponent(channel)}/comments`;
    this.form = new Form((body, author) => this.add(body, author));
    rooms.get(box)?.cancel.abort();
    rooms.set(box, this);
    box.classList.add("comments");
    box.replaceChildren(this.form.element, this.list, this.foot);
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    const wait = h("p", { class: "skeleton" }, "\u00a0");
    this.foot.replaceChildren(wait);
    try {
      const page = await read<Page<Comment> & { max_length: number }>(`${this.path}${this.next}&lang=${locale}`, this.cancel.signal);
      const known = new Set([...this.list.children].map((item) => (item as HTMLElement).dataset["comment"]));
      this.list.append(...page.items.filter((item) => !known.has(item.id)).map((item) => this.show(item)));
      this.next = page.next && new URL(page.next).search;
      this.form.limit(page.max_length);
      this.count(page.total);
    } catch (error) {
      if (this.cancel.signal.aborted) return;
      this.foot.replaceChildren(h("p", { role: "alert" }, words(error), " ", this.button(t("comments.ui.retry"))));
    }
  }

  /** Reads from the beginning: what is shown is not what there is. */
  private again(): void {
    this.list.replaceChildren();
    this.next = `?limit=${pageSize}`;
    void this.more();
  }

  /** Shows how many there are, and what follows the list. */
  private count(total: number): void {
    this.total = Math.max(0, total);
    const empty = this.total === 0 && h("p", { class: "comment-empty" }, t("comments.ui.empty"));
    const hidden = isOwner() && h("button", { type: "button", class: "link small", click: () => { void import("./hidden").then((m) => m.hiddenAuthors(() => this.again())); } }, t("comments.ui.hidden"));
    this.foot.replaceChildren(...[this.next === null ? null : this.button(t("comments.ui.more")), empty, hidden].filter((part) => part instanceof Node));
    this.list.setAttribute("aria-label", count("comments.ui.count", this.total));
  }

  private button(label: string): HTMLButtonElement {
    return h("button", { type: "button", class: "button", click: () => { void this.more(); } }, label);
  }

  /** Makes the line of a comment. Names and words are as they were written; nothing of them is markup. */
  private show(comment: Comment): HTMLLIElement {
    const item: HTMLLIElement = h("li", { class: "comment", "data-comment": comment.id },
      h("p", { class: "comment-head" },
        h("bdi", { class: "comment-author" }, comment.author), comment.mine && h("span", { class: "health-you" }, t("comments.ui.yours")),
        h("time", { datetime: comment.created_at, title: moment(comment.created_at) }, since(comment.created_at))),
      comment.mine ? iconButton("trash", t("comments.ui.delete"), () => this.ask(comment, item))
        : comment.id && iconButton("more", t("comments.ui.acts"), () => void this.act(comment)),
      h("p", { class: "comment-body", dir: "auto" }, comment.body));
    return item;
  }

  /** Shows a comment at once, and takes it back when it could not be sent. */
  private async add(body: string, author: string): Promise<void> {
    const now = new Date().toISOString();
    const pending = this.show({ id: "", author: author || t("comments.ui.you"), body, created_at: now, mine: false });
    pending.classList.add("sending");
    this.list.prepend(pending);
    this.count(this.total + 1);
    try {
      const { comment } = await call<{ comment: Comment }>("POST", this.path, { body, ...(author && { author }) });
      pending.replaceWith(this.show({ ...comment, mine: true }));
    } catch (error) {
      pending.remove();
      this.count(this.total - 1);
      throw error;
    }
  }

  /** Shows what a visitor can do about another's comment. The list is read again when its author is hidden or shown, as several can have one name. */
  private async act({ id, author }: Comment): Promise<void> {
    const { actsOn } = await import("./chat/guard");
    const again = (): void => {
      this.again();
      this.form.focus();
    };
    actsOn({ kind: "comment", channel_id: this.channel, id, author }, { hide: again, show: again });
  }

  private ask(comment: Comment, item: HTMLLIElement): void {
    const yes = h("button", { type: "button", class: "button danger", click: () => { box.close(); void this.remove(comment, item); } }, icon("trash"), t("comments.ui.delete"));
    const no = h("button", { type: "button", class: "button", click: () => box.close() }, t("comments.ui.keep"));
    const box = dialog(t("comments.ui.delete_title"), h("p", { class: "comment-body soft", dir: "auto" }, comment.body), h("div", { class: "row" }, no, yes));
    no.focus();
  }

  private async remove(comment: Comment, item: HTMLLIElement): Promise<void> {
    item.classList.add("sending");
    try {
      await call("DELETE", `/api/comments/${encodeURIComponent(comment.id)}`);
    } catch (error) {
      item.classList.remove("sending");
      toast(words(error));
      if (error instanceof Failure && error.status === 404) this.again();
      return;
    }
    item.remove();
    this.count(this.total - 1);
    this.form.focus();
    toast(t("comments.ui.deleted"));
  }
}

/** Says in words why it failed. What is refused as invalid was neither empty nor too long, which the form sees to. */
function words(error: unknown): string {
  if (error instanceof Failure && error.status === 400) return t("comments.ui.refused");
  return error instanceof Failure ? error.message : t("layout.ui.failed");
}

/** Where one writes a comment. */
class Form {
  readonly element: HTMLFormElement;
  private readonly body = h("textarea", { name: "body", rows: 3, required: true, "aria-describedby": "comment-count comment-problem", autocomplete: "off" });
  private readonly author = h("input", { name: "author", maxlength: longestName, autocomplete: "nickname", "aria-describedby": "comment-problem" });
  private readonly counter = h("span", { class: "comment-count", id: "comment-count" });
  private readonly problem = h("p", { class: "comment-problem", id: "comment-problem", role: "alert" });
  private readonly submit = h("button", { type: "submit", class: "button primary" }, icon("send"), t("comments.ui.send"));
  private most = 500;

  /** `send` is given words and a name; what it rejects with is told beside the form. */
  constructor(private readonly send: (body: string, author: string) => Promise<void>) {
    this.author.value = kept();
    this.author.placeholder = t("comments.ui.author_hint");
    this.body.addEventListener("input", () => this.measure());
    this.body.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.element.requestSubmit(); });
    this.element = h("form", { class: "comment-form", submit: (event: SubmitEvent) => { event.preventDefault(); void this.go(); } },
      h("label", { class: "field" }, t("comments.ui.body"), this.body), this.counter,
      h("div", { class: "row" }, h("label", { class: "field" }, t("comments.ui.author"), this.author), this.submit), this.problem);
    this.measure();
  }

  /** Takes how many characters a comment may have. */
  limit(most: number): void {
    this.most = most;
    this.measure();
  }

  focus(): void {
    this.body.focus();
  }

  /** Counts characters as the service does, and reports whether they may be sent. */
  private measure(): boolean {
    const left = this.most - [...this.body.value].length;
    this.counter.textContent = count("comments.ui.left", left);
    this.counter.classList.toggle("over", left < 0);
    this.body.toggleAttribute("aria-invalid", left < 0);
    return left >= 0 && this.body.value.trim() !== "";
  }

  private async go(): Promise<void> {
    const body = this.body.value.trim();
    const author = this.author.value.trim();
    if (!this.measure() || this.submit.disabled) return this.focus();
    keep(author);
    this.problem.textContent = "";
    this.submit.disabled = true;
    this.body.value = "";
    this.measure();
    try {
      await this.send(body, author);
    } catch (error) {
      this.problem.textContent = words(error);
      if (!this.body.value) this.body.value = body;
      this.measure();
    }
    this.submit.disabled = false;
  }
}

function kept(): string {
  try {
    return localStorage.getItem(nameKey) ?? "";
  } catch {
    return "";
  }
}

function keep(name: string): void {
  try {
    localStorage.setItem(nameKey, name);
  } catch {
    // It is asked again.
  }
}
