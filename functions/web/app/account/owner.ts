/**
 * Whose things the pages of library, favorites and history show: those of the visitor
 * or of an organization. Only the pages of accounts that have an organization get the
 * choice. A member sees what the organization has, and the controls that change it
 * are off.
 */

import { actAs, acting, call, Failure, signedIn, type Acting } from "../api";
import { $, h } from "../dom";
import { t } from "../texts";

/** An organization of the account. */
interface Organization {
  id: string;
  name: string;
  role: string;
  enabled: boolean;
}

/** Shows the choice, where the account has organizations. */
export async function owner(): Promise<void> {
  const box = $("#owner");
  if (!box || !signedIn()) return;
  mark();
  let list: Organization[];
  try {
    list = (await call<{ organizations: Organization[] }>("GET", "/api/account/organizations")).organizations.filter(({ enabled }) => enabled);
  } catch (error) {
    if (error instanceof Failure) return; // the page shows what it showed before
    throw error;
  }
  const now = acting();
  const still = list.find(({ id }) => id === now?.id);
  if (now && (!still || reads(still) !== now.reads)) choose(still);
  if (list.length === 0) return;
  const change = (): void => choose(list.find(({ id }) => id === select.value));
  const select = h("select", { class: "input", "aria-label": t("owner.ui.acting"), change },
    h("option", { value: "" }, t("owner.ui.myself")),
    ...list.map(({ id, name }) => h("option", { value: id, dir: "auto", selected: id === still?.id }, name)));
  box.replaceChildren(select);
}

const reads = ({ role }: Organization): boolean => role === "member";

function choose(organization: Organization | undefined): void {
  const next: Acting | null = organization ? { id: organization.id, reads: reads(organization) } : null;
  actAs(next);
  mark();
}

let lead: string | null = null;

/** Switches the controls off for members, and says why in place of the lead of the page. */
function mark(): void {
  const off = acting()?.reads ?? false;
  document.documentElement.classList.toggle("reads", off);
  const said = $(".own-title .soft");
  if (!said) return;
  lead ??= said.textContent;
  said.textContent = off ? t("owner.ui.read_only") : lead;
}
