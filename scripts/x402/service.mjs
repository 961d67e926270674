/** The local stack as a buyer meets it: its API, its guests, its hop and its test money. */
import assert from 'node:assert/strict'
import { addressHeader, build, start } from '../pages/stack.mjs'
import { answer } from './clients.mjs'

/** The channel whose playlist and chat room are paid for. */
export const channel = 'MiramundoTest.br'

/** Returns the first playlist that a playlist leads to. */
async function variant(url) {
  const { body } = await answer(await fetch(url))
  return body.split('\n').find(line => line && !line.startsWith('#'))
}

export class Service {
  /** Builds and starts a stack that gives each network one free minute. */
  static async start() {
    await build()
    const service = new Service()
    service.stack = await start({ jobs: false, settings: { HOP_FREE_MINUTES: '1', CONTACT_EMAIL: 'operator@miramundo.example' } })
    try {
      service.billing = await service.read('/api/billing')
      const { streams } = await service.read(`/api/channels/${channel}`)
      service.playlist = await variant(streams.find(stream => stream.url.startsWith(service.stack.hop)).url)
    } catch (error) {
      await service.stop()
      throw error
    }
    return service
  }

  stop() { return this.stack.stop() }

  url(path) { return new URL(path, this.stack.base) }

  /** Returns what an address of the service answers, which must be 200. */
  async read(path, headers = {}) {
    const { status, body } = await answer(await fetch(this.url(path), { headers }))
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body
  }

  /** Makes a guest, and returns the headers that identify it. */
  async guest() {
    const made = await answer(await fetch(this.url('/api/guest'), { method: 'POST' }))
    return { 'X-Guest-Token': made.body.token }
  }

  /** Asks the hop for a live playlist, which counts minutes, from a network. */
  async watch(network) {
    return answer(await fetch(this.playlist, { headers: { [addressHeader]: network } }))
  }

  /** Gives a wallet test money. */
  async fund(wallet, usd) {
    const response = await fetch(this.billing.faucet, { method: 'POST', body: JSON.stringify({ address: wallet.address, usd }) })
    assert.equal(response.status, 200, await response.text())
  }

  /** Returns how much an address has, in atomic units. */
  async balance(address) {
    const response = await fetch(new URL(`/balance/${address}`, this.billing.faucet))
    return (await response.json()).balance
  }

  /** Calls f, and checks that it moves an amount from the wallet to the service. */
  async moves(amount, wallet, f) {
    const balances = () => Promise.all([this.balance(wallet.address), this.balance(this.billing.pay_to)])
    const [wallet0, service0] = await balances()
    const result = await f()
    const [wallet1, service1] = await balances()
    assert.deepEqual({ spent: wallet0 - wallet1, earned: service1 - service0 }, { spent: amount, earned: amount })
    return result
  }
}
