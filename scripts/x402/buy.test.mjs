/**
 * Buys each thing that the service sells, over HTTP, with the clients of x402 that people
 * use, on the local stack with its test money. Every purchase must move its price once
 * from the wallet to the service, whatever is repeated afterwards.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addressHeader } from '../pages/stack.mjs'
import { clients } from './clients.mjs'
import { channel, Service } from './service.mjs'

/** Prices, in atomic units of the stablecoin. */
const cents = 10_000
const price = { chat: 10 * cents, contact: 10 * cents, credit: 100 * cents, network: { 30: 10 * cents, 90: 29 * cents, 365: 99 * cents } }

const passPath = '/api/chat/pass'
const messagesPath = `/api/chat/${channel}/mensagens`

/** Returns the network from which a client buys a pass of some days. */
const networkOf = (client, days) => `198.51.${100 + clients.indexOf(client)}.${days % 256}`

let service, watched

before(async () => {
  service = await Service.start()
  for (const client of clients) {
    for (const days of Object.keys(price.network)) await spend(networkOf(client, days))
  }
  watched = minute()
})

after(() => service?.stop())

/** Spends the free minute of a network. */
async function spend(network) {
  assert.equal((await service.watch(network)).status, 200)
}

const minute = () => Math.floor(Date.now() / 60_000)

for (const client of clients) {
  describe(client.name, () => {
    let wallet

    before(async () => {
      wallet = new client.Wallet()
      await service.fund(wallet, 10)
    })

    /** Buys at a path, checks the receipt, and returns the body of the answer. */
    async function buy(url, call) {
      const { status, headers, body } = await service.moves(call.amount, wallet, () => wallet.buy(url, call))
      assert.equal(status, 200, JSON.stringify(body))
      const { success, payer, network, transaction } = wallet.receipt(headers)
      assert.deepEqual({ success, payer, network }, { success: true, payer: wallet.address, network: client.network })
      assert.match(transaction, /^0x[0-9a-f]{64}$/)
      return body
    }

    /** Makes a call again with its payment, which must charge nothing, and returns the answer. */
    const repeat = (url, call) => service.moves(0, wallet, () => wallet.repeat(url, call))

    /** Checks that a payment is refused because it paid for another call. */
    async function refused(url, call) {
      const { status, body } = await repeat(url, call)
      assert.deepEqual({ status, error: body.error, reason: body.reason }, { status: 402, error: 'payment_refused', reason: 'payment_used' })
    }

    test('a chat pass', async () => {
      const url = service.url(passPath)
      const call = { amount: price.chat, headers: await service.guest() }
      const bought = await buy(url, call)
      assert.equal(bought.charged, true)
      assertDays(bought.until, 30)
      const again = await repeat(url, call)
      assert.deepEqual([again.status, again.body], [200, bought])
      const other = await service.guest()
      await refused(url, { headers: other })
      await refused(service.url(messagesPath), { headers: other, body: { body: 'paid by the payment of another call' } })
      const valid = await service.moves(0, wallet, () => wallet.buy(url, call))
      assert.deepEqual([valid.status, valid.body.charged, valid.body.until, wallet.paid], [200, false, bought.until, undefined])
    })

    test('a message with the pass for it', async () => {
      const url = service.url(messagesPath)
      const call = { amount: price.chat, headers: await service.guest(), body: { body: `hello from ${client.name}` } }
      const { message } = await buy(url, call)
      const again = await repeat(url, call)
      assert.deepEqual([again.status, again.body.message?.id], [200, message.id])
      const more = await service.moves(0, wallet, () => wallet.buy(url, { ...call, body: { body: `hello again from ${client.name}` } }))
      assert.equal(more.status, 200)
      const { items } = await service.read(messagesPath)
      assert.deepEqual(items.filter(item => item.body.endsWith(client.name)).map(item => item.body), [call.body.body, more.body.message.body])
    })

    test('a message to the operator', async () => {
      const url = service.url('/api/contact')
      const body = { name: 'Ana', email: 'ana@agents.example', message: 'Hello', form_ts: Date.now() - 3000 }
      const call = { amount: price.contact, body }
      assert.equal((await buy(url, call)).ok, true)
      const again = await repeat(url, call)
      assert.deepEqual([again.status, again.body.ok], [200, true])
      await refused(url, { body: { ...body, message: 'Another' } })
      const soon = await service.moves(0, wallet, () => wallet.buy(url, call))
      assert.equal(soon.status, 429)
      assert.match(soon.headers.get('Retry-After'), /^[1-9]\d*$/)
    })

    test('a credit, which pays in turn', async () => {
      const url = service.url('/api/credits')
      const call = { amount: price.credit, body: {} }
      const { token, balance_usd } = await buy(url, call)
      assert.match(token, /^cred_/)
      assert.equal(balance_usd, '1.00')
      const again = await repeat(url, call)
      assert.deepEqual([again.status, again.body.token, again.body.balance_usd], [200, token, '1.00'])
      const held = { 'X-Credito': token }
      for (const [shown, left] of [[held, '0.90'], [{ Authorization: `Bearer ${token}` }, '0.80']]) {
        const spent = { headers: { ...(await service.guest()), ...shown } }
        for (const charged of [true, false]) {
          const pass = await service.moves(0, wallet, () => wallet.buy(service.url(passPath), spent))
          assert.deepEqual([pass.status, pass.body.charged, wallet.paid], [200, charged, undefined], JSON.stringify(pass.body))
          assert.equal((await service.read('/api/credits', held)).balance_usd, left)
        }
      }
      const more = await buy(url, { amount: price.credit, headers: held, body: { product: 'credit_1' } })
      assert.deepEqual([more.token, more.balance_usd], [token, '1.80'])
    })

    for (const [days, amount] of Object.entries(price.network)) {
      test(`TV on a network, ${days} days`, async () => {
        const network = networkOf(client, days)
        while (minute() === watched) await new Promise(resolve => setTimeout(resolve, 60_000 - Date.now() % 60_000))
        assert.equal((await service.watch(network)).status, 402)
        const call = { method: 'GET', amount, headers: { [addressHeader]: network } }
        assert.match(await buy(service.playlist, call), /^#EXTM3U/)
        assert.equal((await service.watch(network)).status, 200)
        assert.equal((await repeat(service.playlist, call)).status, 200)
        await refused(service.playlist, { method: 'GET', headers: { [addressHeader]: '203.0.113.9' } })
        const { tv } = await service.read('/api/billing', { [addressHeader]: network })
        assert.equal(tv.active, true)
        assertDays(tv.until, days)
      })
    }
  })
}

/** Checks that a moment is some days from now, to the minute. */
function assertDays(at, days) {
  const off = Date.parse(at) - Date.now() - days * 24 * 60 * 60_000
  assert.ok(Math.abs(off) < 60_000, `${at} is not in ${days} days`)
}
