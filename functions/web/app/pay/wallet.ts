/** Wallets of the browser: programs that hold keys and sign with them after asking their owner (EIP-1193, EIP-6963). */

import { authorize, type Chain, chainOf, encode, type Terms, typedData } from "./payment";

interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
}

export interface Wallet {
  name: string;
  /** A data: URL of a picture; null when the wallet has none. */
  icon: string | null;
  provider: Provider;
}

interface Announced {
  info?: { uuid?: string; name?: string; icon?: string };
  provider?: Provider;
}

const patience = 150; // ms for wallets to announce themselves

/** Returns the wallets that are installed. `unnamed` is what one is called that only sets window.ethereum. */
export async function wallets(unnamed: string): Promise<Wallet[]> {
  const found = new Map<string, Wallet>();
  const take = (event: Event): void => {
    const { info, provider } = ((event as CustomEvent<Announced>).detail ?? {}) as Announced;
    if (!provider || !info?.uuid) return;
    const icon = /^data:image\//.test(info.icon ?? "") ? info.icon! : null;
    found.set(info.uuid, { name: (info.name ?? unnamed).slice(0, 40), icon, provider });
  };
  addEventListener("eip6963:announceProvider", take);
  dispatchEvent(new Event("eip6963:requestProvider"));
  await new Promise((resolve) => setTimeout(resolve, patience));
  removeEventListener("eip6963:announceProvider", take);
  const { ethereum } = window as Window & { ethereum?: Provider };
  if (found.size === 0 && ethereum) return [{ name: unnamed, icon: null, provider: ethereum }];
  return [...found.values()];
}

/** The person refused in the wallet, or the wallet could not do it. Nothing was signed. */
export class WalletError extends Error {
  constructor(readonly why: "declined" | "busy" | "no_account" | "failed") {
    super(why);
  }
}

const unknownChain = 4902;

/** Has a wallet sign a payment of the terms, and returns the value of X-PAYMENT. It rejects with a WalletError. */
export async function sign({ provider }: Wallet, terms: Terms): Promise<string> {
  const chain = chainOf(terms);
  if (!chain) throw new WalletError("failed");
  try {
    const accounts = await provider.request({ method: "eth_requestAccounts" });
    const from = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof from !== "string") throw new WalletError("no_account");
    await use(provider, chain);
    const authorization = authorize(terms, from);
    const data = JSON.stringify(typedData(terms, chain, authorization));
    const signature = await provider.request({ method: "eth_signTypedData_v4", params: [from, data] });
    if (typeof signature !== "string" || !/^0x[0-9a-f]+$/i.test(signature)) throw new WalletError("failed");
    return encode(terms, authorization, signature);
  } catch (error) {
    throw error instanceof WalletError ? error : new WalletError(reasonOf(error));
  }
}

/** Switches a wallet to a network, which it is told about when it does not know it. */
async function use(provider: Provider, chain: Chain): Promise<void> {
  const chainId = `0x${chain.id.toString(16)}`;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    if (codeOf(error) !== unknownChain) throw error;
    const nativeCurrency = { name: "ETH", symbol: "ETH", decimals: 18 };
    await provider.request({ method: "wallet_addEthereumChain", params: [{ chainId, chainName: chain.name, nativeCurrency, rpcUrls: [chain.rpc] }] });
  }
}

function reasonOf(error: unknown): WalletError["why"] {
  const code = codeOf(error);
  if (code === 4001) return "declined";
  return code === -32002 ? "busy" : "failed"; // it still asks for something else
}

/** Returns the code of an error of a wallet, which some wrap in another. */
function codeOf(error: unknown): number | undefined {
  const it = error as { code?: number; data?: { originalError?: { code?: number } } } | null;
  return it?.data?.originalError?.code ?? it?.code;
}
