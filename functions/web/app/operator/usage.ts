/**
 * The numbers that are for the operator alone: the failures that pages reported, and
 * what each route was asked and cost. What was not measured is null and never shown as
 * zero.
 */

import { h } from "../dom";
import { number, t } from "../texts";
import type { Desk } from "./desk";
import { badge, code, facts, part, table, time } from "./view";

interface Route {
  rota: string;
  chamadas: number;
  falhas_cliente: number;
  falhas_servidor: number;
  bytes: number;
  p50_ms: number | null;
  p95_ms: number | null;
}

interface Numbers {
  atualizado_em: string | null;
  operador: {
    rotas: Route[];
    erros_de_clientes: { nome: string; chamadas: number | null }[];
    chamadores: { superficie: string; tipo: string; chamadas: number }[];
    borda: string | null;
  } | null;
}

export async function usage(desk: Desk): Promise<HTMLElement[]> {
  const found = await desk.session.measured<Numbers>("/api/vitrine/operador");
  if (!found?.operador) return [part(t("operator.ui.tab_usage"), h("p", { class: "soft" }, t(found ? "operator.ui.unmeasured" : "operator.ui.no_metrics")))];
  const { rotas, erros_de_clientes, chamadores, borda } = found.operador;
  return [
    part(t("operator.ui.errors"), facts([t("operator.ui.updated"), time(found.atualizado_em)], [t("operator.ui.counted"), time(borda)]), h("p", { class: "soft" }, t("operator.ui.errors_note")),
      table(t("operator.ui.errors"), [t("operator.ui.code"), t("operator.ui.number")], erros_de_clientes.map(({ nome, chamadas }) => [code(nome), write(chamadas)]), t("operator.ui.no_errors"))),
    part(t("operator.ui.routes"), table(t("operator.ui.routes"),
      [t("operator.ui.route"), t("operator.ui.calls"), t("operator.ui.client_faults"), t("operator.ui.server_faults"), t("operator.ui.kilobytes"), t("operator.ui.median"), t("operator.ui.slow")],
      rotas.map(row), t("operator.ui.unmeasured"))),
    part(t("operator.ui.callers"), table(t("operator.ui.callers"), [t("operator.ui.surface"), t("operator.ui.kind"), t("operator.ui.calls")],
      chamadores.map(({ superficie, tipo, chamadas }) => [superficie, tipo, number(chamadas)]), t("operator.ui.unmeasured"))),
  ];
}

function row(it: Route): (Node | string)[] {
  const faults = number(it.falhas_servidor);
  return [code(it.rota), number(it.chamadas), number(it.falhas_cliente), it.falhas_servidor > 0 ? badge("bad", faults) : faults, number(Math.ceil(it.bytes / 1024)), write(it.p50_ms), write(it.p95_ms)];
}

function write(n: number | null): string {
  return n === null ? "–" : number(n);
}
