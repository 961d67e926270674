/** The payments whose outcome the service could not find out. */

import { toast } from "../dom";
import { t } from "../texts";
import type { Desk } from "./desk";
import { button, code, confirm, part, table, time } from "./view";

interface Receipt {
  id: string;
  product: string;
  amount_usd: string;
  network?: string;
  payer?: string;
  transaction?: string;
  at: string;
  state: string;
}

export async function payments(desk: Desk): Promise<HTMLElement[]> {
  const { items } = await desk.session.call<{ items: Receipt[] }>("GET", "/api/admin/payments/open");
  return [part(t("operator.ui.open_receipts"), table(t("operator.ui.open_receipts"),
    [t("operator.ui.receipt"), t("operator.ui.product"), t("operator.ui.amount"), t("operator.ui.network"), t("operator.ui.payer"), t("operator.ui.at"), ""],
    items.map((it) => [code(it.id), it.product, `${it.amount_usd} USD`, it.network ?? "", it.payer ? code(it.payer) : null, time(it.at),
      button(t("operator.ui.settle"), () => settle(desk, it), { "aria-label": t("operator.ui.settle_receipt", { id: it.id }) })]), t("operator.ui.no_receipts")))];
}

function settle(desk: Desk, receipt: Receipt): void {
  confirm({
    title: t("operator.ui.settle_receipt", { id: receipt.id }), text: t("operator.ui.settle_note"), label: t("operator.ui.settle"),
    run: async () => {
      const { state } = await desk.session.call<Receipt>("POST", `/api/admin/payments/open/${encodeURIComponent(receipt.id)}/settle`, {});
      toast(t(`operator.ui.receipt_${state === "delivered" || state === "refused" ? state : "open"}`));
      desk.refresh();
    },
  });
}
