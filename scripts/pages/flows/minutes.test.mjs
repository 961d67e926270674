/** A network without free minutes buys a pass at the player, which then plays on. */
import assert from 'node:assert/strict'
import { flow, plays } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { start } from '../stack.mjs'
import { text } from '../texts.mjs'
import { Wallet } from '../wallet.mjs'

const say = (key, fields) => text('en', key, fields)
const passes = { 30: '100000', 90: '290000', 365: '990000' } // days by what they cost

/** A stack whose hop sells passes. */
async function selling(t) {
  const stack = await start({ jobs: false, settings: { HOP_FREE_MINUTES: '120' } })
  t.after(() => stack.stop())
  return stack
}

/** What the hop answers to a network that has spent its minutes. */
async function refusal(stack, resource) {
  const { network, pay_to: payTo, asset_address: asset } = await (await fetch(new URL('/api/billing', stack.base))).json()
  const accepts = Object.entries(passes).map(([days, maxAmountRequired]) => ({
    scheme: 'exact', network, maxAmountRequired, resource, payTo, asset, maxTimeoutSeconds: 300, mimeType: 'application/json',
    description: `TV on the current network, ${days} days`, extra: { name: 'USDC', version: '2' }
  }))
  return { status: 402, headers: { 'Access-Control-Allow-Origin': '*' }, json: { error: 'quota_spent', message: 'No minutes.', x402Version: 1, accepts } }
}

flow('a network without free minutes buys a pass and plays on', { on: selling }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/402/)
  const wallet = new Wallet()
  await wallet.fund(stack)
  await wallet.install(visit.context)
  const paid = []
  await visit.context.route(`${stack.hop}/api/s/**`, async route => {
    const payment = route.request().headers()['x-payment']
    if (payment) paid.push(JSON.parse(atob(payment)))
    return payment || paid.length > 0 ? route.continue() : route.fulfill(await refusal(stack, route.request().url()))
  })
  await visit.go(`/en/channel/${testChannel}`)
  await page.locator('#stage').getByRole('button', { name: say('player.ui.play') }).first().click()
  await page.locator('.stage-card').getByRole('button', { name: say('player.ui.minutes') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(say('player.ui.minutes_days', { n: 90 })).click()
  await dialog.getByText('$0.99').waitFor()
  await dialog.getByRole('button', { name: say('pay.ui.wallet') }).click()
  await page.getByText(say('player.ui.minutes_bought')).waitFor()
  await plays(page, 1)
  assert.deepEqual(paid.map(({ payload }) => payload.authorization.value), [passes[90]])
})
