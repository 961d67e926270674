/**
 * Reports the errors that a page notices in itself to the service: a few for each page,
 * each once, so that a defect that repeats sends no more than one that does not. Errors of
 * browser extensions and of other sites are theirs.
 */

const most = 5; // reports of one page

/** What is known of an error besides its code. */
interface Facts {
  message: string;
  stack?: string | undefined;
  source?: string | undefined;
  line?: number;
  column?: number;
}

let left = most;
const sent = new Set<string>();

/** Sends a report, unless the page has sent it, or enough. It never throws, and nobody waits for it. */
function report(code: string, facts: Facts): void {
  const key = `${facts.message} ${facts.source ?? ""} ${facts.line ?? ""}`;
  if (left === 0 || sent.has(key) || !navigator.onLine) return;
  left--;
  sent.add(key);
  const body = JSON.stringify({
    code, phase: document.readyState === "complete" ? "use" : "load", path: location.pathname,
    message: facts.message.slice(0, 2000), stack: facts.stack?.slice(0, 12000) ?? "", source: facts.source ?? "",
    line: facts.line ?? 0, column: facts.column ?? 0, visivel: document.visibilityState === "visible",
  });
  const headers = { "Content-Type": "application/json" };
  fetch("/api/erro-cliente", { method: "POST", keepalive: true, credentials: "omit", headers, body }).catch(() => { /* It is lost. */ });
}

/** Returns what is known of something that was thrown. */
function factsOf(reason: unknown): Facts {
  return reason instanceof Error ? { message: `${reason.name}: ${reason.message}`, stack: reason.stack } : { message: String(reason) };
}

/** Reports whether an address is of this site. */
function ours(address: string): boolean {
  return address !== "" && URL.canParse(address, location.href) && new URL(address, location.href).origin === location.origin;
}

/** Returns the code of a promise that failed: a part of the page that does not load is fatal to it. */
function codeOf(reason: unknown): string {
  return reason instanceof TypeError && /module/.test(reason.message) ? "UI-APP-001" : "UI-PROMESSA-001";
}

/** Reports errors of scripts, files that do not load, and what the policy of the page refuses. */
export function watchErrors(): void {
  addEventListener("error", (event) => {
    const from = event.target;
    if (event instanceof ErrorEvent) {
      if (ours(event.filename)) report("UI-JS-001", { message: event.message, stack: event.error instanceof Error ? event.error.stack : "", source: event.filename, line: event.lineno, column: event.colno });
    } else if (from instanceof HTMLScriptElement && ours(from.src)) {
      report("UI-RECURSO-001", { message: "a script does not load", source: from.src });
    } else if (from instanceof HTMLLinkElement && from.rel === "stylesheet" && ours(from.href)) {
      report("UI-RECURSO-001", { message: "a style does not load", source: from.href });
    }
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof DOMException && reason.name === "AbortError") return; // what the page itself took back
    const facts = factsOf(reason);
    if (!facts.stack || facts.stack.includes(location.origin) || codeOf(reason) === "UI-APP-001") report(codeOf(reason), facts);
  });
  addEventListener("securitypolicyviolation", (event) => {
    if (ours(event.sourceFile)) report("UI-CSP-001", { message: `${event.effectiveDirective} refuses ${event.blockedURI}`, source: event.sourceFile, line: event.lineNumber, column: event.columnNumber });
  });
}
