/** Buying with a wallet and with a credit, over the local network of payments; and what a payment may come to. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { barriers, inTheme, layout, windows } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { text } from '../texts.mjs'
import { Wallet } from '../wallet.mjs'

const say = (key, fields) => text('en', key, fields)
const path = '/en/purchases'
const unpaid = /status: 402|status of 402/

/** A visitor with a wallet that holds test money. */
async function withWallet(visit, stack, name) {
  visit.forgive(unpaid)
  const wallet = new Wallet()
  await wallet.fund(stack)
  await wallet.install(visit.context, name)
  await (await Guest.make(stack.base)).become(visit.context)
  return wallet
}

const button = (page, key, fields) => page.getByRole('dialog').getByRole('button', { name: say(key, fields) })

flow('a wallet buys a credit, which is shown, kept and topped up', {}, async (visit, stack) => {
  const { page } = visit
  const wallet = await withWallet(visit, stack, 'Test Wallet')
  await visit.go(path)
  await page.locator('[data-credit="credit_5"]').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('$5.00').first().waitFor()
  const pay = dialog.getByRole('button', { name: 'Test Wallet' })
  wallet.fails.wallet_switchEthereumChain = [4902, 4001]
  await pay.click()
  await until(() => wallet.calls.includes('wallet_addEthereumChain'), 'the wallet is told about the network')
  await page.locator('#new-credit input').waitFor()
  const token = await page.locator('#new-credit input').inputValue()
  assert.match(token, /^cred_/)
  assert.equal(wallet.calls.filter(method => method === 'eth_signTypedData_v4').length, 1)
  await page.locator('#statement').getByText('$5.00').first().waitFor()
  await page.locator('#keep').check()
  await page.locator('[data-credit="credit_1"]').click()
  await pay.click() // the wallet refuses to switch
  await dialog.getByText(say('pay.ui.wallet_declined')).waitFor()
  await pay.click()
  await page.locator('#statement').getByText('$6.00').first().waitFor()
  await page.reload()
  await page.locator('#statement').getByText('$6.00').first().waitFor()
  for (const window of [windows[0], windows[3]]) {
    await page.setViewportSize(window)
    await page.evaluate(() => scrollTo(0, 0))
    for (const theme of ['light', 'dark']) {
      await inTheme(page, theme)
      assert.deepEqual([...await layout(page), ...await barriers(page)], [])
    }
  }
  await page.getByRole('button', { name: say('purchases.ui.forget') }).click()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-credit')), null)
})

flow('a wallet buys a chat pass, and a credit buys another', {}, async (visit, stack) => {
  const { page } = visit
  await withWallet(visit, stack)
  await visit.go(path)
  await page.locator('#passes').getByText(say('purchases.ui.none')).waitFor()
  await page.locator('[data-credit="credit_1"]').click()
  await button(page, 'pay.ui.wallet').click()
  await page.locator('#new-credit input').waitFor()
  const token = await page.locator('#new-credit input').inputValue()
  await page.locator('#buy-pass').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('$0.10').first().waitFor()
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme)
    assert.deepEqual([...await layout(page), ...await barriers(page)], [])
  }
  const field = dialog.locator('[name=credit]')
  await field.fill('not a credit')
  await field.press('Enter')
  await dialog.getByText(say('pay.ui.credit_wrong')).waitFor()
  await field.fill(`cred_${'x'.repeat(40)}`)
  await field.press('Enter')
  await until(async () => (await dialog.getByRole('alert').textContent()) !== '', 'a credit that does not exist is refused')
  await field.fill(token)
  await field.press('Enter')
  await page.locator('#passes').getByText(say('purchases.ui.chat')).waitFor()
  await page.locator('#statement').getByText('$0.90').first().waitFor()
  await page.locator('#bought summary').click()
  await page.locator('#bills').getByText(/^pu_/).first().waitFor()
  assert.deepEqual([...await layout(page), ...await barriers(page)], [])
})

/** Answers that a payment gets, and what the page does: it signs once, and repeats the same payment until it knows. */
flow('a payment whose fate is not known is repeated, also after a reload, and signed once', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/503/, /ERR_FAILED|Failed to load/)
  const wallet = await withWallet(visit, stack)
  const shown = []
  const receipt = { id: 'pur_test', state: 'settling' }
  const answers = ['lost', { status: 503, json: { error: 'payment_pending', message: 'Pending.', receipt, retry_after: 60 } },
    { status: 503, json: { error: 'pass_not_recorded', message: 'Not recorded.', receipt, retry_after: 60 } }]
  await visit.context.route('**/api/credits', async route => {
    const payment = route.request().headers()['x-payment']
    if (!payment) return route.continue()
    shown.push(payment)
    const answer = answers.shift()
    return answer === 'lost' ? route.abort() : answer ? route.fulfill(answer) : route.continue()
  })
  await visit.go(path)
  await page.locator('[data-credit="credit_1"]').click()
  await button(page, 'pay.ui.wallet').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(say('pay.ui.pending')).waitFor()
  await button(page, 'pay.ui.again').click()
  await dialog.getByText(say('pay.ui.receipt')).first().waitFor()
  await page.reload()
  await page.locator('[data-credit="credit_1"]').click()
  await dialog.getByText(say('pay.ui.unrecorded')).waitFor()
  await dialog.getByText('pur_test').waitFor()
  await button(page, 'pay.ui.again').click()
  await page.locator('#new-credit input').waitFor()
  assert.equal(shown.length, 4)
  assert.equal(new Set(shown).size, 1)
  assert.equal(wallet.calls.filter(method => method === 'eth_signTypedData_v4').length, 1)
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-payment')), null)
})

flow('a payment that is refused is forgotten, and its reason is said', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(unpaid)
  const poor = new Wallet()
  await poor.install(visit.context)
  await visit.go(path)
  await page.locator('[data-credit="credit_25"]').click()
  await button(page, 'pay.ui.wallet').click()
  await page.getByRole('dialog').getByText(say('pay.ui.refused_insufficient_funds')).waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-payment')), null)
})

flow('without a wallet the page says how to pay', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(unpaid)
  let reported = 0
  page.on('request', request => { if (request.url().endsWith('/api/pagamento/aberto')) reported++ })
  await (await Guest.make(stack.base)).become(visit.context)
  await visit.go(path)
  await page.locator('[data-credit="credit_1"]').click()
  await page.getByRole('dialog').getByText(say('pay.ui.needs_wallet')).waitFor()
  assert.equal(reported, 1)
})
