/**
 * The two clients of x402 that people use, each behind the same few methods: x402-fetch
 * speaks version 1 of the protocol (terms in the body of a 402, X-PAYMENT), @x402/fetch
 * version 2 (terms in PAYMENT-REQUIRED, PAYMENT-SIGNATURE).
 */
import { ExactEvmScheme } from '@x402/evm'
import { decodePaymentResponseHeader, wrapFetchWithPayment as wrap2, x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment as wrap1 } from 'x402-fetch'

/** The network of the local stack, by its names in both versions. */
const network = { v1: 'base-sepolia', v2: 'eip155:84532' }

/** The most that a client may pay at once, in atomic units: 25 USD. Their defaults are less than some prices. */
const most = 25_000_000n

/** A wallet with a key of its own, which pays through one of the clients. */
class Wallet {
  /** The payment of the last call, as its header; undefined when the call was free. */
  paid = undefined

  constructor() {
    this.key = generatePrivateKey()
    this.address = privateKeyToAccount(this.key).address
  }

  /** The fetch that the client calls: it notes the payment that it passes on. */
  fetch = async (input, init) => {
    const headers = input instanceof Request ? input.headers : new Headers(init.headers)
    this.paid = headers.get(this.header) ?? this.paid
    return fetch(input, init)
  }

  /**
   * Calls an address and pays for it when it asks for that. Of several offers the
   * client takes the one of an amount, in atomic units.
   */
  async buy(url, { amount, method = 'POST', headers = {}, body } = {}) {
    this.paid = undefined
    const pay = await this.client(offers => offers.find(o => (o.amount ?? o.maxAmountRequired) === String(amount)) ?? offers[0])
    const init = { method, headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers }, body: body && JSON.stringify(body) }
    return answer(await pay(String(url), init))
  }

  /** Makes a call again with a payment that was made for another, past the client. */
  async repeat(url, { method = 'POST', headers = {}, body, payment = this.paid } = {}) {
    const init = { method, headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers, [this.header]: payment }, body: body && JSON.stringify(body) }
    return answer(await fetch(url, init))
  }
}

/** A wallet of x402-fetch. */
class Wallet1 extends Wallet {
  header = 'X-PAYMENT'

  async client(choose) {
    return wrap1(this.fetch, await createSigner(network.v1, this.key), most, choose)
  }

  receipt(headers) {
    return decodeXPaymentResponse(headers.get('X-PAYMENT-RESPONSE'))
  }
}

/** A wallet of @x402/fetch. */
class Wallet2 extends Wallet {
  header = 'PAYMENT-SIGNATURE'

  client(choose) {
    const scheme = new ExactEvmScheme(privateKeyToAccount(this.key))
    const client = new x402Client((version, offers) => choose(offers)).register(network.v2, scheme)
    return wrap2(this.fetch, client.setSpendControls({ maxAmountPerPayment: '$25' }))
  }

  receipt(headers) {
    return decodePaymentResponseHeader(headers.get('PAYMENT-RESPONSE'))
  }
}

/** The clients, with the name of the network in their receipts. */
export const clients = [
  { name: 'x402-fetch, version 1', Wallet: Wallet1, network: network.v1 },
  { name: '@x402/fetch, version 2', Wallet: Wallet2, network: network.v2 }
]

/** Returns the status, the headers and the body of an answer, which is JSON or text. */
export async function answer(response) {
  const text = await response.text()
  const json = response.headers.get('Content-Type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
}
