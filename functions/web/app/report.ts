/** Telling the service whether a channel plays. */

import { call } from "./api";
import type { FailureCode } from "./types";

/** What was told while this page is open. The service counts each result once a day. */
const told = new Set<string>();

/** Reports that a channel played, or why it did not. Never rejects: what cannot be told is lost, and no play waits for it. */
export async function report(channel: string, ok: boolean, code?: FailureCode): Promise<void> {
  const what = `${ok}|${channel}`;
  if (told.has(what)) return;
  told.add(what);
  try {
    await call("POST", "/api/play-report", ok ? { channel_id: channel, ok } : { channel_id: channel, ok, code: code ?? "outro" });
  } catch {
    told.delete(what); // the next play may tell it
  }
}
