/** Asks addresses that failed what the engines could not tell of them. */

import type { FailureCode } from "../types";
import { isSpent, ofHop, ofStatus } from "./failure";

const patience = 6_000; // ms

/** Asks an address, and lets go of the answer once it began. */
async function ask(url: string, mode: RequestMode, over: AbortSignal): Promise<Response> {
  const enough = new AbortController();
  const end = (): void => enough.abort();
  over.addEventListener("abort", end);
  const late = setTimeout(end, patience);
  try {
    const response = await fetch(url, { mode, credentials: "omit", cache: "no-store", signal: enough.signal });
    if (mode === "no-cors" || response.ok) end(); // what it holds is of no interest
    return response;
  } finally {
    clearTimeout(late);
    over.removeEventListener("abort", end);
  }
}

/** Says why a script could not read an address that is no secret: it answers, but lets no script read it, or it does not answer. */
export async function hidden(url: string | undefined, over: AbortSignal): Promise<FailureCode> {
  if (!url) return "outro";
  try {
    await ask(url, "no-cors", over);
    return "cors";
  } catch {
    return "sem_resposta";
  }
}

/** What an address turned out to be. */
export interface Finding {
  code: FailureCode;
  spent: boolean;
}

/** Says why a media element took nothing of an address: when it answers as it should, its format is at fault. */
export async function diagnose(url: string, hop: boolean, over: AbortSignal): Promise<Finding> {
  const known = (code: FailureCode): Finding => ({ code, spent: false });
  let response: Response;
  try {
    response = await ask(url, "cors", over);
  } catch {
    const code = await hidden(url, over);
    return known(code === "cors" ? "codec" : code); // media elements need no leave to read
  }
  if (response.ok) return known("codec");
  if (!hop) return known(ofStatus(response.status) ?? "outro");
  const body: unknown = await response.json().catch(() => null);
  const refusal = { status: response.status, error: faultOf(body), upstream: Number(response.headers.get("X-Service-Upstream-Status")) };
  return { code: ofHop(refusal), spent: isSpent(refusal) };
}

/** Returns the code of the fault that an answer of the service tells. */
export function faultOf(body: unknown): string | undefined {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "string" ? body.error : undefined;
}
