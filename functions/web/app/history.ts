/** The page of what was watched, most recent first. */

import { call } from "./api";
import { h, toast } from "./dom";
import { keep } from "./keep";
import { confirm, tellOf } from "./own/ask";
import { List } from "./own/list";
import { acts, link, type Shown } from "./own/rows";
import { count, since, t } from "./texts";
import { forget } from "./watched";

interface Played extends Shown {
  plays: number;
  last_at: string;
}

/** Shows what was watched, and lets one forget it. */
export function history(): void {
  const list = new List<Played>({
    path: "/api/history",
    total: "history.ui.total",
    row: (item) => h("li", { class: "row-item", "data-id": item.channel_id },
      link(item, since(item.last_at), count("history.ui.plays", item.plays)),
      ...acts(item, false, [{ icon: "close", label: t("history.ui.drop"), run: () => remove(item) }])),
  });

  function remove(item: Played): void {
    call("DELETE", `/api/history/${encodeURIComponent(item.channel_id)}`).then(() => {
      list.take(item.channel_id);
      toast(t("history.ui.removed", { name: item.name }));
    }, tellOf);
  }

  document.getElementById("clear")?.addEventListener("click", () => {
    confirm(t("history.ui.clear"), t("history.ui.clear_sure"), t("history.ui.clear"), () => {
      call("DELETE", "/api/history").then(() => {
        list.clear();
        forget();
      }, tellOf);
    });
  });
  keep();
  void list.read();
}
