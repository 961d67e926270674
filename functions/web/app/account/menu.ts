/** What the button of the account in the bar at the top opens. */

import { accountName, Failure, signOut } from "../api";
import { $, dialog, toast } from "../dom";

/** Shows the menu of the account. */
export function menu(): void {
  const content = $<HTMLTemplateElement>("#me")!.content.cloneNode(true);
  const box = dialog(accountName() || $(".me-in")!.textContent.trim(), content);
  $("[data-sign-out]", box)?.addEventListener("click", () => {
    signOut().then(() => location.reload(), (error: Failure) => toast(error.message));
  });
}
