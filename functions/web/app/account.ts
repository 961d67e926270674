/** The pages of an account. Their forms work without a script; this makes them quicker. */

import { claimGuest } from "./account/claim";
import { addPasskey, passkeysWork } from "./account/passkey";
import { door } from "./account/signin";
import { accountName, setSignedIn } from "./api";
import { $, $$, toast } from "./dom";
import { t } from "./texts";

/** Makes a page of an account quicker to use. */
export function account(): void {
  const { account } = JSON.parse($("#data")?.textContent ?? "{}") as { account: { name: string } | null };
  const name = account?.name ?? null;
  if (accountName() !== name) setSignedIn(name); // pages of accounts alone know it
  for (const button of $$("[data-copy]")) button.addEventListener("click", () => void copy(button.dataset["copy"]!));
  $("[data-print]")?.addEventListener("click", () => print());
  zones();
  void passkeys();
  const box = $(".door");
  if (box) enter(box);
}

/** Copies the value of a field; where that is not allowed it is selected, so that the visitor can. */
async function copy(id: string): Promise<void> {
  const field = document.getElementById(id) as HTMLInputElement;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    toast(t("account.ui.copied"));
  } catch {
    toast(t("account.ui.copy_yourself"));
  }
}

/** Suggests the time zones that the browser knows. */
function zones(): void {
  const list = $("#zones");
  list?.append(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((zone) => new Option(zone, zone)));
}

/** Lets the page of security add a passkey. */
async function passkeys(): Promise<void> {
  const button = $<HTMLButtonElement>("#add-passkey");
  const said = $("#add-passkey-said");
  if (!button || !said) return;
  if (!(await passkeysWork())) {
    said.textContent = t("passkey.ui.unsupported");
    said.hidden = false;
    button.disabled = true;
    return;
  }
  button.addEventListener("click", () => {
    said.hidden = true;
    button.disabled = true;
    addPasskey(t("account.ui.passkey_name")).then(
      () => location.assign(`${location.pathname}?done=passkey_added`),
      (error: Error) => {
        button.disabled = false;
        said.textContent = error.message;
        said.hidden = error.message === "";
      });
  });
}

/**
 * Makes the steps of signing in quicker. Once the visitor is signed in the page takes
 * along what the browser kept as a guest, and goes on by itself unless there is
 * something to say about that.
 */
function enter(box: HTMLElement): void {
  const on = $<HTMLAnchorElement>("#go-on");
  if (!on) return door(box, () => location.assign(`${location.pathname}${location.search}`));
  void claimGuest().then(() => {
    const said = $$("#toasts .toast");
    if (said.length === 0) return location.replace(on.href);
    $("#brought")!.textContent = said.map((item) => item.textContent).join(" ");
    said.forEach((item) => item.remove());
  });
}
