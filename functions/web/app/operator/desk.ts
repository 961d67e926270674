/** What the page of the operator gives to its tabs. */

import type { Session } from "./session";

/** What a tab is given. */
export interface Desk {
  session: Session;
  /** Shows the tab anew, as it is after an act. */
  refresh(): void;
  /** Chooses another tab. */
  open(tab: string): void;
  /** Ends the session, since the service does not accept the token any more. */
  ended(problem: string): void;
}
