/** The credit token that this browser keeps when the visitor asks for it. Everybody who gets the token can spend the credit. */

const key = "mm-credit";

/** Reports whether a text has the form of a credit token. */
export function isCredit(text: string): boolean {
  return /^cred_[\w-]{8,200}$/.test(text);
}

/** Returns the token that is kept; empty for none. */
export function keptCredit(): string {
  try {
    const kept = localStorage.getItem(key) ?? "";
    return isCredit(kept) ? kept : "";
  } catch {
    return "";
  }
}

/** Keeps a token, or with an empty one forgets it. Returns whether the browser did so. */
export function keepCredit(token: string): boolean {
  try {
    if (token === "") localStorage.removeItem(key);
    else localStorage.setItem(key, token);
    return true;
  } catch {
    return false;
  }
}
