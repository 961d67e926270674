/** The chat with a real room: two people talk, one of whom pays, and the room is restarted meanwhile. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { address, elsewhere, network, signIn } from '../account.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { start } from '../stack.mjs'
import { text } from '../texts.mjs'
import { Wallet } from '../wallet.mjs'

const say = (key, fields) => text('en', key, fields)
const path = `/en/channel/${testChannel}`
const bodies = page => page.locator('.chat-message:not(.sending) .chat-body').allTextContents()

/** Opens the chat as a guest with a wallet, and buys a pass in it. */
async function paid(visit, stack) {
  const { page } = visit
  visit.forgive(/status: 402|status of 402/)
  const wallet = new Wallet()
  await wallet.fund(stack)
  await wallet.install(visit.context)
  await visit.go(path)
  await page.locator('#chat-toggle').click()
  await page.locator('.chat-wall').getByText('$0.10').waitFor()
  await page.getByRole('button', { name: say('chat.ui.buy') }).click()
  await page.getByRole('dialog').getByRole('button', { name: say('pay.ui.wallet') }).click()
  await page.locator('.chat-form textarea').waitFor()
  await page.locator('.chat-as bdi').waitFor()
  return wallet
}

async function write(page, body) {
  await page.locator('.chat-form textarea').fill(body)
  await page.locator('.chat-form textarea').press('Enter')
}

flow('a visitor with a pass talks; a visitor without one reads, sees the price, reports and hides', {}, async (visit, stack) => {
  const { page } = visit
  const wallet = await paid(visit, stack)
  assert.equal(wallet.calls.filter(method => method === 'eth_signTypedData_v4').length, 1)
  const said = `hello <b>everyone</b> ${process.pid}`
  await write(page, said)
  await page.locator('.chat-message.mine:not(.sending)').getByText(said).waitFor()
  await elsewhere(page, async other => {
    await (await Guest.make(stack.base)).become(other.context())
    await other.goto(stack.base + path)
    await other.locator('#chat-toggle').click()
    const heard = other.locator('.chat-message').filter({ has: other.getByText(said, { exact: true }) })
    await heard.waitFor()
    await other.locator('.chat-wall').getByText('$0.10').waitFor()
    await until(async () => /2/.test(await page.locator('#chat-watching').textContent()), 'two people are there')
    const more = `and again ${said}`
    await write(page, more)
    await other.locator('.chat-message').getByText(more, { exact: true }).waitFor()
    await heard.locator('.chat-more').click()
    await other.getByRole('dialog').getByText(say('guard.ui.report')).click()
    await other.getByLabel(say('guard.ui.reason_spam')).check()
    await other.getByRole('dialog').getByRole('button', { name: say('guard.ui.send') }).click()
    await other.getByText(say('guard.ui.reported')).waitFor()
    await heard.locator('.chat-more').click()
    await other.getByText(say('guard.ui.hide')).click()
    await heard.waitFor({ state: 'detached' })
    await other.getByRole('button', { name: say('guard.ui.undo') }).click()
    await heard.waitFor()
  }, { viewport: { width: 1280, height: 800 } })
})

flow('an account pays and talks by its cookie, and becomes no guest', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  await signIn(page, stack, address())
  await paid(visit, stack)
  await write(page, 'by cookie')
  await page.locator('.chat-message.mine:not(.sending)').getByText('by cookie').waitFor()
  await visit.go('/en/purchases')
  await page.locator('#passes').getByText(say('purchases.ui.chat')).waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-guest')), null)
})

let own // the stack that is restarted

flow('the room is restarted, and nothing is lost or doubled', {
  async on(t) {
    own = await start({ jobs: false })
    t.after(() => own.stop())
    return own
  }
}, async visit => {
  const { page } = visit
  await paid(visit, own)
  await write(page, 'before')
  await until(async () => (await bodies(page)).includes('before'), 'the first message is there')
  visit.forgive(/WebSocket|502|503|ERR_CONNECTION/)
  const restarting = own.restart()
  await page.getByText(say('chat.ui.reconnecting')).waitFor()
  await write(page, 'meanwhile')
  own = await restarting
  await until(async () => (await page.locator('.chat-message.sending').count()) === 0, 'the message is stored')
  assert.deepEqual(await bodies(page), ['before', 'meanwhile'])
  await page.reload()
  await until(async () => (await bodies(page)).length > 0, 'the messages are shown again')
  assert.deepEqual(await bodies(page), ['before', 'meanwhile'])
})
