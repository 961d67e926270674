/** Takedown requests: a rights holder asks, the operator blocks, somebody answers the block, and the log shows all of it without names. */
import assert from 'node:assert/strict'
import { network } from '../account.mjs'
import { flow, until } from '../flow.mjs'
import { operatorToken } from '../stack.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const channel = 'NASATV.us', stamp = `${process.pid}`
const hostile = `It is ours ${stamp}. <img src=x onerror="window.broken = true">`

/** Fills in the form, and returns the number of the request. */
async function send(page, { email, targets, kind }) {
  await page.getByLabel(say('takedown.name'), { exact: true }).fill('Ana <b>Holder</b>')
  await page.getByLabel(say('takedown.email')).fill(email)
  if (kind) await page.getByLabel(say('takedown.kind')).selectOption(kind)
  if (targets) await page.getByLabel(say('takedown.targets')).fill(targets)
  await page.getByLabel(say('takedown.text')).fill(hostile)
  await page.getByLabel(say('takedown.good_faith')).check()
  await page.getByLabel(say('takedown.signature')).fill('Ana Holder')
  await page.locator('#human input[type=checkbox]').check()
  await page.getByRole('button', { name: say('takedown.send') }).click()
  const heading = page.locator('#takedown-sent h3')
  await heading.waitFor()
  return Number(/\d+/.exec(await heading.textContent())[0])
}

/** Returns the link of the last mail to an address that has one. */
async function link(stack, to) {
  return until(async () => {
    const { mails } = await (await fetch(new URL(`/dev/mail?format=json&to=${to}`, stack.base))).json()
    return /https?:\/\/\S+#\d+\.\w+/.exec(JSON.stringify(mails))?.[0].replace(/\\n.*/, '')
  }, 'the receipt arrives')
}

/** Decides a request in the tab of the operator. */
async function decide(page, number, decision) {
  await page.getByRole('button', { name: say('operator.ui.read_takedown', { number }) }).first().click()
  const form = page.locator('#operator-panel form')
  await form.locator('[name=decision]').selectOption(decision)
  assert.notEqual(await form.locator('[name=answer]').inputValue(), '', 'the answer begins as a template')
  await form.locator('[name=reason]').fill('a test of the page')
  await form.getByRole('button', { name: say('operator.ui.decide'), exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: say('operator.ui.decide'), exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.locator('#operator-panel:not([aria-busy])').waitFor()
}

flow('a takedown request is blocked, answered and lifted', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status of 404/)
  const status = async () => (await fetch(new URL(`/api/channels/${channel}`, stack.base))).status
  const holder = `holder-${stamp}@example.org`, owner = `owner-${stamp}@example.org`

  await visit.go('/en/about')
  await page.locator('#takedown').getByRole('link', { name: say('about.takedown_page') }).click()
  await page.waitForURL(url => url.pathname === '/en/takedown')
  await page.getByRole('button', { name: say('takedown.send') }).click()
  await page.getByText(say('contact.ui.missing', { field: say('takedown.name') })).waitFor()
  const number = await send(page, { email: holder, kind: 'copyright', targets: `${new URL(`/en/channel/${channel}`, stack.base)}\nno-such-thing-${stamp}` })
  const named = page.locator('#takedown-sent li')
  assert.equal(await named.count(), 2)
  assert.ok((await named.first().textContent()).includes(channel))
  assert.ok((await named.last().textContent()).includes(say('takedown.ui.unknown')))

  const receipt = new URL(await link(stack, holder))
  await visit.go(receipt.pathname + receipt.hash)
  await page.locator('#takedown-status', { hasText: say('takedown.ui.state_received') }).waitFor()

  await page.evaluate(([token]) => {
    sessionStorage.setItem('mm-operator', token)
    sessionStorage.setItem('mm-operator-name', 'Olga')
  }, [operatorToken])
  await visit.go('/en/operator#takedowns')
  await decide(page, number, 'block')
  await until(async () => await status() === 404, 'the channel is gone')

  await until(async () => (await (await fetch(new URL('/en/transparency', stack.base))).text()).includes(`?answers=${number}"`), 'the log shows the block')
  await visit.go('/en/transparency')
  const row = page.locator(`#no-${number}`)
  assert.ok((await row.textContent()).includes(channel))
  assert.ok(!(await page.locator('main').textContent()).includes('Holder'), 'the log names a person')
  await row.getByRole('link').click()
  await page.waitForURL(url => url.searchParams.get('answers') === String(number))
  const notice = await send(page, { email: owner })

  await visit.go('/en/operator#takedowns')
  await decide(page, notice, 'accept')
  await until(async () => await status() === 200, 'the channel is back')
  await visit.go(receipt.pathname + receipt.hash)
  await page.locator('#takedown-status', { hasText: say('takedown.ui.state_lifted') }).waitFor()
  assert.equal(await page.evaluate(() => window.broken), undefined)
})
