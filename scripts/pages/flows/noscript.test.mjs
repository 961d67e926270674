/** Without a script: finding, reading and opening work all the same. */
import assert from 'node:assert/strict'
import { card, cards, flow } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

flow('find and open without a script', { javaScriptEnabled: false }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/^request: csp .*\.js$/) // scripts that are not to run are not loaded either
  const here = () => new URL(page.url())

  // A form finds, and its results have an address.
  await page.goto(`${stack.base}/en`)
  await page.locator('#q').fill('news')
  await page.locator('#q').press('Enter')
  await page.waitForURL(url => url.searchParams.get('q') === 'news')
  const found = await cards(page)
  assert.ok(found.length > 0)

  // What words were taken for is taken off at a link, and then they are only names.
  await page.locator('#read-0').click()
  await page.waitForURL(url => url.searchParams.get('q') === '"news"')
  assert.equal(await page.locator('.list-readings').count(), 0)

  // Words that seem misspelled are corrected at a link.
  await page.goto(`${stack.base}/en?q=miramundo+tset`)
  await page.locator('#advice-0').click()
  await page.waitForURL(url => url.searchParams.get('q') === 'miramundo test')
  assert.ok((await cards(page)).includes(testChannel))

  // A list goes on at a link.
  await page.goto(`${stack.base}/en`)
  await page.locator('main a[href*="kind=tv"]').first().click()
  await page.waitForURL(url => url.searchParams.get('kind') === 'tv')
  const first = await cards(page)
  await page.locator('a[rel~=next]').click()
  await page.waitForURL(url => Number(url.searchParams.get('offset')) > 0)
  const next = await cards(page)
  assert.ok(next.length > 0)
  assert.deepEqual(next.filter(id => first.includes(id)), [])

  // Countries lead to theirs, and those to channels.
  await page.locator('footer').getByRole('link', { name: text('en', 'layout.countries') }).click()
  await page.locator('main a[href="/en/countries?sort=name"]').click()
  await page.locator('#letter-B').waitFor()
  await page.locator('main a[href="/en/brazil"]').first().click()
  await page.getByRole('heading', { level: 1, name: 'Brazil' }).waitFor()
  await card(page, testChannel).locator('a.card-link').click()

  // A channel tells its name, and has addresses that players take.
  assert.equal(here().pathname, `/en/channel/${testChannel}`)
  await page.getByRole('heading', { level: 1, name: 'Miramundo Test Card' }).waitFor()
  const address = await page.locator('#streams a[href*="/api/s/"]').first().getAttribute('href')
  const answer = await fetch(address)
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /^#EXTM3U/)

  // The languages keep the page.
  await page.locator('#prefs > summary').click()
  await page.locator('.languages').getByRole('link', { name: text('de', 'layout.language_name') }).click()
  assert.match(here().pathname, new RegExp(`^/de/.+/${testChannel}$`))
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  await page.getByRole('heading', { level: 1, name: 'Miramundo Test Card' }).waitFor()

  // What needs a script is not offered.
  assert.equal(await page.locator('.needs-js:visible').count(), 0)
})
