/** Where streams play from. */

import type { Stream } from "../types";

/**
 * Returns the address that a stream plays from, which the service chooses: the hop's, which
 * counts the play, or the provider's own for plain HTTP that is not a playlist.
 */
export function addressOf(stream: Stream): string {
  return stream.play_url ?? stream.url;
}
