/** The button that opens the chat beside the player. The chat is loaded, and the room entered, when it is opened. */

import type { Chat } from "../chat/panel";
import { $, toast } from "../dom";
import { count, t } from "../texts";

const key = "mm-chat";

export class Talk {
  private readonly button = $<HTMLButtonElement>("#chat-toggle");
  private readonly box = $("#chat-room");
  private chat: Promise<Chat> | null = null;
  private channel = "";

  constructor() {
    this.button?.addEventListener("click", () => this.toggle());
    this.button?.setAttribute("aria-expanded", String(this.open));
  }

  /** Leaves the room: another page takes the place of this one. */
  leave(): void {
    void this.chat?.then((chat) => chat.close(), () => null);
  }

  /** Shows the room of a channel, if the panel is open. */
  show(channel: string): void {
    const same = this.channel === channel;
    this.channel = channel;
    if (this.open && !same) void this.enter(false);
  }

  /** Whether the panel is open, which the browser remembers and the page knows before it is painted. */
  private get open(): boolean {
    return document.documentElement.classList.contains("chatting");
  }

  private toggle(): void {
    const open = document.documentElement.classList.toggle("chatting");
    this.button?.setAttribute("aria-expanded", String(open));
    try {
      if (open) localStorage.setItem(key, "1");
      else localStorage.removeItem(key);
    } catch {
      // It is remembered for as long as the page.
    }
    if (open) void this.enter(true);
    else void this.chat?.then((chat) => chat.close());
  }

  private async enter(focus: boolean): Promise<void> {
    if (!this.box) return;
    try {
      const chat = await (this.chat ??= import("../chat/panel").then(({ Chat }) => new Chat(this.box!, (n) => this.present(n))));
      if (!this.open) return;
      chat.open(this.channel);
      if (focus && matchMedia("(pointer: fine)").matches) chat.focus();
    } catch {
      this.chat = null;
      toast(t("layout.ui.failed"));
    }
  }

  private present(n: number | null): void {
    const box = $("#chat-watching");
    if (box) box.textContent = n === null ? "" : count("chat.ui.watching", n);
  }
}
