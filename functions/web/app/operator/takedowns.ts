/** The requests of rights holders and the counter-notices that wait, and deciding them. */

import { h, toast } from "../dom";
import { t } from "../texts";
import type { Desk } from "./desk";
import { words } from "./signin";
import type { Items } from "./types";
import { button, code, confirm, facts, lines, part, table, time } from "./view";

interface Listed {
  number: number;
  kind: string;
  at: string;
  state: string;
  answers: number | null;
  blocked: { kind: string; value: string }[];
}

interface Target {
  given: string;
  kind: string | null;
  value: string | null;
  name: string | null;
  streams: number;
}

interface Full extends Listed {
  sender: { name: string; organization: string; email: string; text: string; signature: string; language: string } | null;
  targets: Target[];
  decisions: { decision: string; text: string; at: string }[];
  drafts: { decision: string; text: string }[];
}

const path = "/api/admin/takedowns";
const languages = ["pt", "en", "es", "fr", "de"];

export async function takedowns(desk: Desk): Promise<HTMLElement[]> {
  const [waiting, log] = await Promise.all([
    desk.session.call<Items<Listed>>("GET", `${path}?limit=50`), desk.session.call<Items<Listed>>("GET", "/api/takedowns?limit=50"),
  ]);
  const shown = h("div", { class: "operator-part", tabindex: -1 });
  const open = (number: number): void => void show(desk, shown, number);
  const head = [t("operator.ui.number"), t("operator.ui.kind"), t("operator.ui.state_of"), t("operator.ui.at"), ""];
  const row = (it: Listed): (Node | string | null)[] => [String(it.number), kind(it), t(`takedown.ui.state_${it.state}`), time(it.at),
    button(t("operator.ui.read"), () => open(it.number), { "aria-label": t("operator.ui.read_takedown", { number: it.number }) })];
  return [
    part(t("operator.ui.takedowns_waiting"), table(t("operator.ui.takedowns_waiting"), head, waiting.items.map(row), t("operator.ui.no_takedowns"))),
    shown,
    part(t("operator.ui.takedowns_log"), table(t("operator.ui.takedowns_log"), head, log.items.map(row), t("operator.ui.no_takedowns"))),
  ];
}

function kind(it: Listed): string {
  return t(`takedown.ui.kind_${it.kind}`) + (it.answers === null ? "" : ` (${it.answers})`);
}

/** Reads a request and shows it with the form that decides it. */
async function show(desk: Desk, box: HTMLElement, number: number): Promise<void> {
  let it: Full;
  try {
    it = await desk.session.call<Full>("GET", `${path}/${number}`);
  } catch (error) {
    box.replaceChildren(h("p", { class: "wrong", role: "alert" }, words(error)));
    return;
  }
  const from = it.sender;
  box.replaceChildren(part(t("operator.ui.takedown", { number }),
    facts([t("operator.ui.kind"), kind(it)], [t("operator.ui.state_of"), t(`takedown.ui.state_${it.state}`)],
      ...(from ? [[t("operator.ui.sender"), h("bdi", {}, from.name)], [t("operator.ui.organization"), h("bdi", {}, from.organization)],
        [t("operator.ui.email"), code(from.email)], [t("operator.ui.signature"), h("bdi", {}, from.signature)], [t("operator.ui.language"), from.language]] as [string, Node | string][] : [])),
    from ? lines(from.text, t("operator.ui.text")) : h("p", { class: "soft" }, t("operator.ui.sender_deleted")),
    ...it.decisions.flatMap((one) => [h("p", {}, h("strong", {}, t(`takedown.ui.decision_${one.decision}`)), " ", time(one.at)), one.text !== "" && lines(one.text, t("operator.ui.answer"))]),
    form(desk, it)));
  box.focus();
}

/** Makes the form of a decision: what to block, the answer, and the reason for the log. */
function form(desk: Desk, it: Full): HTMLElement {
  const named = it.targets.length ? it.targets : it.blocked.map((one) => ({ given: "", ...one, name: null, streams: 0 }));
  const boxes = named.map((target) => ({ target, box: h("input", { type: "checkbox", checked: target.kind !== null, disabled: target.kind === null }) }));
  const hosts = h("input", { name: "hosts", maxlength: 1000, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const decision = h("select", { name: "decision" }, ...it.drafts.map((one) => h("option", { value: one.decision }, t(`takedown.ui.decision_${one.decision}`))));
  const language = h("select", { name: "language" }, ...languages.map((one) => h("option", { value: one, selected: one === (it.sender?.language ?? "en") }, one)));
  const answer = h("textarea", { name: "answer", rows: 10, maxlength: 4000, dir: "auto" });
  const reason = h("input", { name: "reason", required: true, maxlength: 500, autocomplete: "off" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const blocking = h("fieldset", { class: "contact-spaces" }, h("legend", {}, t("operator.ui.to_block")),
    ...boxes.map(({ target, box }) => h("label", {}, box, h("span", { dir: "auto" }, described(target)))),
    h("label", { class: "field" }, t("operator.ui.more_hosts"), hosts));
  let drafts = it.drafts;
  const draft = (): void => {
    answer.value = drafts.find((one) => one.decision === decision.value)?.text ?? "";
    blocking.hidden = decision.value !== "block";
  };
  decision.addEventListener("change", draft);
  language.addEventListener("change", async () => {
    try {
      drafts = (await desk.session.call<Full>("GET", `${path}/${it.number}?draft=${language.value}`)).drafts;
      draft();
    } catch (error) {
      wrong.textContent = words(error);
    }
  });
  draft();
  const chosen = (): { kind: string; value: string }[] => [
    ...boxes.filter(({ box }) => box.checked).map(({ target }) => ({ kind: target.kind!, value: target.value! })),
    ...hosts.value.split(/[\s,]+/).filter(Boolean).map((value) => ({ kind: "host", value })),
  ];
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    wrong.textContent = "";
    const verb = decision.value, targets = verb === "block" ? chosen() : [];
    if (verb === "block" && targets.length === 0) { // without a list everything would be blocked
      wrong.textContent = t("operator.ui.nothing_to_block");
      return;
    }
    const of = (kind: string): string[] => targets.filter((one) => one.kind === kind).map((one) => one.value);
    confirm({
      title: `${t("operator.ui.takedown", { number: it.number })}: ${t(`takedown.ui.decision_${verb}`)}`, text: t(`operator.ui.decide_${verb}`, { n: targets.length }),
      label: t("operator.ui.decide"), danger: verb === "block",
      run: async () => {
        const order = { decision: verb, answer: answer.value, reason: reason.value.trim(), by: desk.session.name, ...(verb === "block" && { channels: of("channel"), streams: of("stream"), hosts: of("host") }) };
        const { changed } = await desk.session.call<{ changed: boolean }>("POST", `${path}/${it.number}/decisions`, order);
        toast(t(changed ? "moderation.ui.done" : "moderation.ui.unchanged"));
        desk.refresh();
      },
    });
  };
  if (it.drafts.length === 0) return h("p", { class: "soft" }, t("operator.ui.decided"));
  return h("form", { class: "panel operator-form", submit }, h("label", { class: "field" }, t("operator.ui.decision"), decision), blocking,
    h("label", { class: "field" }, t("operator.ui.draft_language"), language), h("label", { class: "field" }, t("operator.ui.answer"), answer),
    h("label", { class: "field" }, t("moderation.ui.reason"), reason),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button primary" }, t("operator.ui.decide"))), wrong);
}

function described(target: Target): string {
  if (target.kind === null) return `${target.given} – ${t("takedown.ui.unknown")}`;
  const streams = target.kind === "host" ? ` (${t("operator.ui.streams")}: ${target.streams})` : "";
  return `${t(`operator.ui.kind_${target.kind}`)}: ${target.value}${target.name === null ? "" : ` – ${target.name}`}${streams}`;
}
