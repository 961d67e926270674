/**
 * The page of the operator: a tab for each part of the service. A tab reads what it
 * shows when it is chosen and after each act, and the address names it after the "#".
 */

import { Failure } from "./api";
import { $, h } from "./dom";
import { blocks } from "./operator/blocks";
import { catalog } from "./operator/catalog";
import type { Desk } from "./operator/desk";
import { events } from "./operator/events";
import { guides } from "./operator/guides";
import { jobs } from "./operator/jobs";
import { moderate } from "./operator/moderate";
import { overview } from "./operator/overview";
import { payments } from "./operator/payments";
import { Session } from "./operator/session";
import { signIn, words } from "./operator/signin";
import { takedowns } from "./operator/takedowns";
import { usage } from "./operator/usage";
import { button } from "./operator/view";
import { t } from "./texts";

/** A tab returns what it shows. */
type Tab = (desk: Desk) => Promise<HTMLElement[]>;

const tabs: Record<string, Tab> = { overview, catalog, jobs, events, blocks, takedowns, moderation: moderate, payments, usage, guides };

/** Fills the page. */
export function operator(): void {
  const box = $("#operator");
  if (!box) return;
  const session = Session.kept();
  if (session) new Work(box, session);
  else enter(box);
}

function enter(box: HTMLElement, problem = ""): void {
  signIn(box, { metrics: t("operator.ui.metrics"), problem, entered: (session) => new Work(box, session) });
}

/** The tabs of a session. */
class Work implements Desk {
  private readonly panel = h("div", { id: "operator-panel", class: "operator-panel", role: "tabpanel", tabindex: -1 });
  private readonly status = h("p", { class: "sr", role: "status" });
  private readonly buttons: HTMLButtonElement[];
  private chosen = "";
  private turn = 0;

  constructor(private readonly box: HTMLElement, readonly session: Session) {
    this.buttons = Object.keys(tabs).map((name) => h("button", {
      type: "button", role: "tab", class: "chip", id: `operator-tab-${name}`, "aria-controls": "operator-panel", "data-tab": name, click: () => this.open(name),
    }, t(`operator.ui.tab_${name}`)));
    const list = h("div", { class: "chips", role: "tablist", "aria-label": t("operator.ui.tabs"), keydown: (event: KeyboardEvent) => this.steer(event) }, ...this.buttons);
    box.replaceChildren(
      h("div", { class: "row operator-as" }, h("span", {}, t("moderation.ui.as", { name: session.name })),
        button(t("moderation.ui.refresh"), () => this.refresh()), button(t("moderation.ui.leave"), () => this.leave())),
      list, this.status, this.panel);
    this.open(location.hash.slice(1));
  }

  open(tab: string): void {
    this.chosen = tab in tabs ? tab : "overview";
    for (const one of this.buttons) {
      const chosen = one.dataset["tab"] === this.chosen;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
      if (chosen) this.panel.setAttribute("aria-labelledby", one.id);
    }
    history.replaceState(history.state, "", `#${this.chosen}`);
    this.panel.replaceChildren(h("p", { class: "skeleton operator-wait" }));
    void this.show(++this.turn, false);
  }

  refresh(): void {
    void this.show(++this.turn, true);
  }

  ended(problem: string): void {
    Session.leave();
    enter(this.box, problem);
  }

  private leave(): void {
    Session.leave();
    enter(this.box);
  }

  /** Shows what the chosen tab reads, unless another one was chosen meanwhile. After an act the button that had the focus is gone, and the panel gets it. */
  private async show(turn: number, again: boolean): Promise<void> {
    this.panel.setAttribute("aria-busy", "true");
    let shown: HTMLElement[];
    try {
      shown = await tabs[this.chosen]!(this);
    } catch (error) {
      if (error instanceof Failure && error.status === 401 && turn === this.turn) return this.ended(words(error));
      shown = [h("p", { class: "wrong", role: "alert" }, words(error))];
    }
    if (turn !== this.turn || !this.panel.isConnected) return;
    const within = this.panel.contains(document.activeElement);
    this.panel.replaceChildren(...shown);
    this.panel.removeAttribute("aria-busy");
    this.status.textContent = t("operator.ui.shown", { tab: t(`operator.ui.tab_${this.chosen}`) });
    if (within || again && document.activeElement === document.body) this.panel.focus({ preventScroll: true });
  }

  /** Moves between the tabs by the keyboard. */
  private steer(event: KeyboardEvent): void {
    const at = this.buttons.findIndex((one) => one.dataset["tab"] === this.chosen), n = this.buttons.length;
    const back = document.documentElement.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
    const to = event.key === "Home" ? 0 : event.key === "End" ? n - 1 : event.key === back ? at - 1 : event.key === "ArrowLeft" || event.key === "ArrowRight" ? at + 1 : null;
    if (to === null) return;
    event.preventDefault();
    const next = this.buttons[(to + n) % n]!;
    this.open(next.dataset["tab"]!);
    next.focus();
  }
}
