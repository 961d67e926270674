/** The reported texts, as on the page of moderation. */

import { Desk as Moderation } from "../moderation";
import type { Desk } from "./desk";

export async function moderate(work: Desk): Promise<HTMLElement[]> {
  const desk = new Moderation(work.session, (problem) => work.ended(problem));
  desk.read();
  return desk.elements();
}
