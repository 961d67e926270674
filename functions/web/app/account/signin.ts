/**
 * Signing in by the steps of the sign-in page: on that page itself, and in a dialog
 * on every other. The dialog fetches the page, shows its step, and sends its forms
 * as a browser does; so both are the same, and what the server says is what is shown.
 */

import { setSignedIn } from "../api";
import { $, dialog, h, toast } from "../dom";
import { learn, t } from "../texts";
import { claimGuest } from "./claim";
import { passkeysWork, signInWithPasskey, suggestPasskeys, type Result } from "./passkey";

/** Makes the step of a sign-in page quicker: offers a passkey, by which it calls `done`. */
export function door(box: ParentNode, done: () => void): void {
  const button = $<HTMLButtonElement>("#passkey", box);
  const email = $<HTMLInputElement>("input[autocomplete~=webauthn]", box);
  const told = (result: Result): void => {
    if (result.ok) done();
    else if (result.message) tell(box, result.message);
  };
  if (email) void suggestPasskeys(email, told);
  if (!button) return;
  void passkeysWork().then((works) => { button.classList.toggle("unavailable", !works); }); // it keeps its place, so that nothing moves
  button.addEventListener("click", () => {
    button.disabled = true;
    void signInWithPasskey().then((result) => {
      button.disabled = false;
      told(result);
    });
  });
}

/** Says in a step why something did not work. */
function tell(box: ParentNode, message: string): void {
  $(".wrong", box)?.remove();
  $(".panel", box)?.prepend(h("p", { class: "wrong", role: "alert" }, message));
}

/** Lets the visitor sign in in a dialog. Where that fails, the page itself opens. */
export async function openDoor(address: string): Promise<void> {
  const first = await fetchStep(address).catch(() => null);
  if (!first) return location.assign(address);
  const frame = dialog(first.title);
  frame.classList.add("door-dialog");
  const show = (step: Step): void => {
    if (step.account) {
      setSignedIn(step.account.name);
      frame.close();
      toast(t("signin.ui.in"));
      void claimGuest();
      return;
    }
    $(".dialog-head h2", frame)!.textContent = step.title;
    $(".dialog-body", frame)!.replaceChildren(step.box);
    ($("[autofocus], .wrong ~ .field input, #email", step.box) as HTMLElement | null)?.focus();
    door(step.box, () => void go(fetchStep(address)));
  };
  const go = async (asked: Promise<Step>): Promise<void> => {
    try {
      show(await asked);
    } catch {
      tell(frame, t("layout.ui.failed"));
    }
  };
  frame.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    event.preventDefault();
    const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    void go(fetchStep(form.action, fields));
  });
  frame.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(".door a[href]") : null;
    if (!link || link.pathname !== new URL(address, location.href).pathname) return;
    event.preventDefault();
    void go(fetchStep(link.href));
  });
  show(first);
}

/** A step as the server rendered it. `account` is set once the visitor is signed in. */
interface Step {
  title: string;
  box: HTMLElement;
  account: { name: string } | null;
}

/** Fetches a step, or sends the form of one. */
async function fetchStep(address: string, form?: URLSearchParams): Promise<Step> {
  const response = await fetch(address, { method: form ? "POST" : "GET", body: form ?? null, headers: { Accept: "text/html" }, credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const box = $(".door", page);
  if (!box) throw new Error(`no step at ${address}`);
  learn(page);
  const heading = $("h1", box);
  const title = heading?.textContent ?? "";
  heading?.remove();
  const { account } = JSON.parse($("#data", page)?.textContent ?? "{}") as { account?: Step["account"] };
  return { title, box: document.adoptNode(box), account: box.dataset["step"] === "done" && account ? account : null };
}
