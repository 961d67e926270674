/**
 * The player that other sites show within theirs. It calls nothing of the API, neither as an account nor as a guest: a
 * site that has its readers click where this is must gain nothing by it.
 */

import { recordOf } from "./channel/page";
import { $ } from "./dom";
import { watchErrors } from "./errors";
import { controls } from "./player/controls";
import { Player } from "./player/player";

const stage = $("#stage");

watchErrors();
if (stage) {
  const record = recordOf(document);
  if (!/^https?:\/\//i.test(record.website ?? "")) record.website = null;
  const player = new Player(stage);
  const shown = controls(player, () => {}, () => {});
  player.load(record);
  shown.show(record);
}
