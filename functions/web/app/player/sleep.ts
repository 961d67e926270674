/** The sleep timer: what plays becomes quiet after some minutes, and pauses. */

import { toast } from "../dom";
import { t } from "../texts";
import type { Section } from "./menu";
import type { Player } from "./player";

const minutes = [15, 30, 45, 60, 90];
const fade = 20; // seconds at the end in which the sound becomes quiet

export class Sleep {
  private chosen = 0; // minutes; 0 is off
  private timer = 0;

  constructor(private readonly player: Player) {}

  /** The choices, for a menu. */
  section(): Section {
    return {
      title: t("player.ui.sleep"), chosen: this.chosen, choose: (id) => this.set(Number(id)),
      choices: [{ id: 0, label: t("player.ui.off") }, ...minutes.map((n) => ({ id: n, label: t("player.ui.sleep_minutes", { n }) }))],
    };
  }

  private set(n: number): void {
    clearTimeout(this.timer);
    this.chosen = n;
    if (n > 0) this.timer = window.setTimeout(() => this.fade(this.player.media.volume, fade), (n * 60 - fade) * 1000);
  }

  /** Makes the sound quieter each second, and pauses at the end. The volume is then as it was. */
  private fade(volume: number, left: number): void {
    const { media } = this.player;
    if (left > 0) {
      media.volume = volume * (left / fade);
      this.timer = window.setTimeout(() => this.fade(volume, left - 1), 1000);
      return;
    }
    this.chosen = 0;
    this.player.pause();
    media.volume = volume;
    toast(t("player.ui.slept"));
  }
}
