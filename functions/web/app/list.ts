/** Finding channels: a list that changes as one types and chooses, goes on as one scrolls, and is walked by arrow keys. */

import { lines } from "./list/line";
import { more } from "./list/more";
import { near } from "./list/near";
import { roam } from "./list/roam";
import { search } from "./list/search";

/** Makes a page quick that shows a list. */
export function list(): void {
  roam();
  lines();
  search(() => {
    more();
    near();
  });
  more();
  near();
}
