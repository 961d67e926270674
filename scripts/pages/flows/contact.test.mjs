/** The contact form: the operator gets the message as a mail. */
import assert from 'node:assert/strict'
import { network } from '../account.mjs'
import { flow, until } from '../flow.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)

flow('a sponsor writes to the operator', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  await visit.go('/en/partners')
  await page.getByRole('main').locator('a[href*="tipo=patrocinio"]').click()
  await page.waitForURL(url => url.pathname === '/en/contact')
  assert.equal(await page.locator('#tipo').inputValue(), 'patrocinio')
  const send = page.getByRole('button', { name: say('contact.send') })
  await send.click()
  await page.getByText(say('contact.ui.missing', { field: say('contact.name') })).waitFor()
  const begun = await page.evaluate(() => performance.now()) // the script of the form runs
  const words = `I would like to help. ${process.pid} <b>&`
  await page.getByLabel(say('contact.name')).fill('Ana Lúcia')
  await page.getByLabel(say('contact.email')).fill('ana@example.org')
  await page.getByLabel(say('contact.company')).fill('Rádio <i>')
  await page.locator('[name="espaco"]').first().check()
  await page.getByLabel(say('contact.budget')).selectOption('100_500')
  await page.getByLabel(say('contact.message')).fill(words)
  await page.locator('#human input[type=checkbox]').check()
  await page.waitForFunction(begun => performance.now() > begun + 2500, begun) // people take longer than two seconds
  await send.click()
  await page.getByText(say('contact.sent')).waitFor()
  const mail = await until(async () => {
    const { mails } = await (await fetch(new URL('/dev/mail?format=json', stack.base))).json()
    return mails.find(mail => JSON.stringify(mail).includes(words.slice(0, 30)))
  }, 'the operator has the mail')
  assert.ok(mail)
})
