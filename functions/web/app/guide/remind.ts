/** Setting reminders, and removing them. */

import { toast } from "../dom";
import { t } from "../texts";
import { keep, most, reminders, same, type Reminder } from "./reminders";

/** Sets a reminder, or removes the one that is set. Reports whether there is one afterwards. */
export function toggle(of: Reminder): boolean {
  const all = reminders();
  const rest = all.filter((one) => !same(one, of));
  if (rest.length < all.length) {
    keep(rest);
    toast(t("schedule.ui.off"));
    return false;
  }
  if (all.length >= most || !keep([...all, of])) {
    toast(t("schedule.ui.too_many"));
    return false;
  }
  toast(t("schedule.ui.on"));
  void allow();
  return true;
}

/** Asks whether notifications may be shown, unless that was answered. */
async function allow(): Promise<void> {
  if (typeof Notification !== "undefined" && Notification.permission === "default") await Notification.requestPermission().catch(() => {});
}
