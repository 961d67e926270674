/** What the home page shows of the visitor's own: a country, and what was watched. */
import assert from 'node:assert/strict'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const near = page => page.locator('#near')

flow('the home page has the shelves of a country, which one may choose', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en')
  const menu = near(page).getByLabel(text('en', 'home.near_pick'))
  await menu.waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-guest')), null, 'who only looks is made no guest')
  const other = await menu.locator('option').evaluateAll((all, now) => all.map(option => option.value).find(value => value !== now), await menu.inputValue())
  await menu.selectOption(other)
  await until(() => page.evaluate(code => document.querySelector('#near-country').selectedIndex === 0 && document.querySelector('#near-country').value === code, other), 'the shelves are those of the other country')
  await until(() => page.evaluate(() => document.activeElement.id === 'near-country'), 'the focus is on the menu again')
  assert.ok(await near(page).locator('.card').count() > 0)

  // It is kept, also when a search came between.
  await page.locator('#q').fill('test')
  await page.waitForURL(/q=test/)
  await page.locator('#q').fill('')
  await until(() => page.evaluate(code => document.querySelector('#near-country')?.value === code, other), 'the shelves are there again')
  await page.reload()
  await until(() => page.evaluate(code => document.querySelector('#near-country')?.value === code, other), 'the country was kept')
})

flow('a country that the browser names wrongly is replaced', {}, async (visit) => {
  const { page } = visit
  visit.forgive(/near\/AQ/)
  await page.addInitScript(() => localStorage.setItem('mm-country', 'AQ'))
  await visit.go('/en')
  await near(page).locator('.card').first().waitFor()
})

flow('what was watched can be gone on with', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en')
  const shelf = page.locator('#continue')
  assert.equal(await shelf.isVisible(), false)
  const kept = page.waitForResponse(response => response.url().endsWith('/api/history') && response.request().method() === 'POST')
  await visit.go(`/en/channel/${testChannel}`)
  await page.locator('#stage').getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await kept
  await visit.go('/en')
  const link = shelf.locator(`[data-id="${testChannel}"] a`)
  await link.click()
  await page.waitForURL(url => url.pathname.endsWith(testChannel))

  // Without anything in the history, the shelf is gone.
  await visit.go('/en/history')
  await page.locator('#clear').click()
  await page.getByRole('dialog').getByRole('button', { name: text('en', 'history.ui.clear'), exact: true }).last().click()
  await until(() => page.evaluate(() => localStorage.getItem('mm-watched') === null), 'nothing is noted')
  await visit.go('/en')
  assert.equal(await shelf.isVisible(), false)
})

flow('a channel at random plays at once', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en')
  await page.locator('#surprise').click()
  await page.waitForURL(url => url.pathname.startsWith('/en/channel/'))
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state !== 'idle')
})
