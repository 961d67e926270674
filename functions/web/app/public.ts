/** The page of a public library: following it, copying a folder, reporting it. */

import { call, isOwner } from "./api";
import { report } from "./chat/guard";
import { $, setIcon, toast } from "./dom";
import { tellOf } from "./own/ask";
import { leaving } from "./page";
import { t } from "./texts";

interface Followed {
  id: string;
  library: string;
  folder: string | null;
  gone: boolean;
}

/** Works the buttons of the page. */
export function publicLibrary(): void {
  const { library = "", folder = "" } = JSON.parse(document.getElementById("data")?.textContent || "{}") as { library?: string; folder?: string };
  const signal = leaving();
  const buttons = [new Follow("#follow", library, ""), new Follow("#follow-folder", library, folder)];
  $("#report-library")?.addEventListener("click", () => report({ kind: "library", channel_id: "", id: library }));
  const copy = $<HTMLButtonElement>("#copy-folder");
  copy?.addEventListener("click", () => {
    copy.disabled = true;
    call<{ name: string; created: boolean }>("POST", `/api/libraries/${encodeURIComponent(library)}/folders/${encodeURIComponent(folder)}/copy`)
      .then(({ name, created }) => toast(t(created ? "public.ui.copied" : "public.ui.copied_before", { name })), tellOf)
      .finally(() => { copy.disabled = false; });
  });
  if (isOwner()) void look();

  /** Shows which of the two this visitor follows. */
  async function look(): Promise<void> {
    try {
      const { items } = await call<{ items: Followed[] }>("GET", `/api/following?library=${encodeURIComponent(library)}`);
      if (signal.aborted) return;
      for (const button of buttons) button.find(items);
    } catch {
      // The buttons follow all the same, and say when that fails.
    }
  }
}

/** A button that follows a library or a folder of it, and ends that. */
class Follow {
  private readonly button: HTMLButtonElement | null;
  private id = ""; // of the entry; empty while the visitor does not follow it
  private readonly label: string;

  constructor(selector: string, private readonly library: string, private readonly folder: string) {
    this.button = $<HTMLButtonElement>(selector);
    this.label = $("span", this.button ?? document)?.textContent ?? "";
    this.button?.setAttribute("aria-pressed", "false");
    this.button?.addEventListener("click", () => void this.press());
  }

  find(items: Followed[]): void {
    this.show(items.find((item) => !item.gone && item.library === this.library && (item.folder ?? "") === this.folder)?.id ?? "");
  }

  private show(id: string): void {
    this.id = id;
    const { button } = this;
    if (!button) return;
    button.setAttribute("aria-pressed", String(id !== ""));
    const text = $("span", button);
    if (text) text.textContent = id ? t("public.ui.following") : this.label;
    setIcon(button, id ? "check" : "heart");
  }

  private async press(): Promise<void> {
    const { button, library, folder } = this;
    if (!button) return;
    button.disabled = true;
    try {
      if (this.id) {
        await call("DELETE", `/api/following/${encodeURIComponent(this.id)}`);
        this.show("");
        toast(t("public.ui.unfollowed"));
      } else {
        const { followed } = await call<{ followed: Followed }>("POST", "/api/following", { library, folder });
        this.show(followed.id);
        toast(t("public.ui.followed"));
      }
    } catch (error) {
      tellOf(error);
    } finally {
      button.disabled = false;
      button.focus();
    }
  }
}
