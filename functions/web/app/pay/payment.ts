/**
 * A payment as the protocol x402 defines it in version 1: the terms that an answer 402
 * names, and the authorization to transfer a stablecoin (EIP-3009) that pays them, which
 * a wallet signs as typed data (EIP-712). Nothing here asks or waits.
 */

/** One way to pay, an entry of `accepts`. Amounts are in millionths of a dollar. */
export interface Terms {
  scheme: string;
  network: string;
  maxAmountRequired: string;
  resource: string;
  description: string;
  payTo: string;
  maxTimeoutSeconds: number;
  asset: string;
  extra: { name: string; version: string };
}

/** A network as wallets know it. */
export interface Chain {
  id: number;
  name: string;
  /** A public node, for wallets that do not know the network yet. */
  rpc: string;
  test: boolean;
}

const chains: Record<string, Chain> = {
  base: { id: 8453, name: "Base", rpc: "https://mainnet.base.org", test: false },
  "base-sepolia": { id: 84532, name: "Base Sepolia", rpc: "https://sepolia.base.org", test: true },
};

/** Returns the network of terms; undefined for one that this page cannot pay on. */
export function chainOf(terms: Terms): Chain | undefined {
  return terms.scheme === "exact" ? chains[terms.network] : undefined;
}

/** Returns an amount in dollars. */
export function dollars(terms: Terms): number {
  return Number(terms.maxAmountRequired) / 1e6;
}

export interface Authorization {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
}

const early = 600; // seconds by which the clock of this device may be ahead of the chain's

/** Returns an authorization of `from` to pay the terms, with a nonce that is used once. */
export function authorize(terms: Terms, from: string, now: number = Date.now()): Authorization {
  const at = Math.floor(now / 1000);
  const nonce = crypto.getRandomValues(new Uint8Array(32));
  return {
    from, to: terms.payTo, value: terms.maxAmountRequired,
    validAfter: String(at - early), validBefore: String(at + terms.maxTimeoutSeconds),
    nonce: `0x${Array.from(nonce, (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  };
}

const type = (fields: string): { name: string; type: string }[] => fields.split(", ").map((field) => {
  const [type = "", name = ""] = field.split(" ");
  return { name, type };
});

/** Returns what the wallet signs. */
export function typedData(terms: Terms, chain: Chain, message: Authorization): object {
  return {
    types: {
      EIP712Domain: type("string name, string version, uint256 chainId, address verifyingContract"),
      TransferWithAuthorization: type("address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce"),
    },
    domain: { name: terms.extra.name, version: terms.extra.version, chainId: chain.id, verifyingContract: terms.asset },
    primaryType: "TransferWithAuthorization",
    message,
  };
}

/** Returns the value of the header X-PAYMENT. */
export function encode(terms: Terms, authorization: Authorization, signature: string): string {
  return btoa(JSON.stringify({ x402Version: 1, scheme: terms.scheme, network: terms.network, payload: { signature, authorization } }));
}
