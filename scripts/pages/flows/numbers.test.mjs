/** The public numbers: the page says the same as the API, without a script too. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'
import { text } from '../texts.mjs'

flow('somebody reads the public numbers', { javaScriptEnabled: false }, async (visit, stack) => {
  visit.forgive(/^request: csp .*\.js$/) // scripts that are not to run are not loaded either
  const { page } = visit
  await page.goto(`${stack.base}/en`)
  await page.locator('.bottom').getByRole('link', { name: text('en', 'layout.numbers') }).click()
  await page.waitForURL(url => url.pathname === '/en/numbers')
  const numbers = await (await fetch(new URL('/api/vitrine', stack.base))).json()
  if (!numbers.publicado) {
    await page.getByText(text('en', 'numbers.unpublished')).waitFor()
    return
  }
  const said = await page.getByRole('main').innerText()
  if (!said.includes(numbers.atualizado_em.slice(11, 16))) return // published again between the two readings
  const shown = n => n === null ? text('en', 'numbers.missing') : n.toLocaleString('en')
  const row = page.getByRole('row').filter({ hasText: text('en', 'numbers.pages') }).first()
  const { hoje, janelas, dias = [] } = numbers
  assert.deepEqual(await row.getByRole('cell').allInnerTexts(), [hoje, janelas.d7, janelas.d30].map(({ paginas }) => shown(paginas)))
  assert.equal(await page.locator('.chart').first().locator('rect').count(), dias.length)
})
