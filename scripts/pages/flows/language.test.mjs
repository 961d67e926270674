/** The language of the reader is offered once, where the page is in none that the browser asks for. */
import assert from 'node:assert/strict'
import { at, flow } from '../flow.mjs'

const offered = page => page.locator('.offer:visible').getAttribute('data-to')

flow('a browser in German is offered German, with the same search and filters', { locale: 'de-DE' }, async ({ page }, stack) => {
  await page.goto(`${stack.base}/?q=news&kind=tv#main`)
  assert.equal(await offered(page), 'de')
  await page.locator('.offer:visible a').click()
  await at(page, ({ pathname, search }) => pathname === '/de' && search === '?q=news&kind=tv', 'the same search in German')
  assert.equal(await page.locator('.offer:visible').count(), 0)
  await page.goto(`${stack.base}/`)
  assert.equal(await page.locator('.offer:visible').count(), 0, 'it is asked once')
})

flow('a no is a no, and nothing moves before it', { locale: 'fr-FR' }, async (visit) => {
  const { page } = visit
  await visit.go('/en/brazil')
  assert.equal(await offered(page), 'fr')
  const moved = await page.evaluate(() => new Promise(done => {
    new PerformanceObserver(list => done(list.getEntries().reduce((sum, { value }) => sum + value, 0))).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => done(0), 500)
  }))
  assert.ok(moved < 0.02, `${moved}`)
  await page.locator('.offer:visible [data-offer-no]').click()
  assert.equal(await page.locator('.offer:visible').count(), 0)
  await visit.go('/en/about')
  assert.equal(await page.locator('.offer:visible').count(), 0)
})

for (const [locale, path] of [['pt-BR', '/'], ['en-GB', '/en'], ['it-IT', '/'], ['frr', '/'], ['de-AT', '/de/brasilien']]) {
  flow(`a browser in ${locale} is offered nothing on ${path}`, { locale }, async ({ page }, stack) => {
    await page.goto(`${stack.base}${path}`)
    assert.equal(await page.locator('.offer:visible').count(), 0)
  })
}

flow('a browser that stores nothing would be asked on every page, and is not', { locale: 'de-DE' }, async (visit, stack) => {
  await visit.context.addInitScript(() => Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } }))
  await visit.page.goto(`${stack.base}/`)
  assert.equal(await visit.page.locator('.offer:visible').count(), 0)
})
