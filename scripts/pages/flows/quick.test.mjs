/** The short ways to what one looks for: keys in the search field, filters that stay where they are, and countries by what people call them. */
import assert from 'node:assert/strict'
import { at, cardLink, flow, onlyTestPlays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

flow('Enter opens the first channel that is found, and the arrow leads to it', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await visit.go('/en')
  await page.locator('#q').fill('test card')
  await page.locator(`#cards > [data-id="${testChannel}"]`).waitFor()
  await page.keyboard.press('ArrowDown')
  await until(() => cardLink(page, testChannel).evaluate(link => link === document.activeElement), 'the first channel has the focus')

  // What is typed quickly is searched for first.
  await visit.go('/en')
  await page.locator('#q').pressSequentially('test card')
  await page.keyboard.press('Enter')
  await at(page, ({ pathname }) => pathname === `/en/channel/${testChannel}`, 'that of the channel')
})

flow('Enter stays where nothing is found', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en')
  await page.locator('#q').fill('qwertyuiop')
  await page.keyboard.press('Enter')
  await page.locator('.empty').waitFor()
  await at(page, ({ pathname, searchParams }) => pathname === '/en' && searchParams.get('q') === 'qwertyuiop', 'that of the search')
})

for (const width of [360, 1280]) {
  flow(`the button of the filters stays under the pointer at ${width}`, { viewport: { width, height: 800 } }, async (visit) => {
    const { page } = visit
    await visit.go('/en/brazil')
    const button = page.locator('#filters-open')
    await button.scrollIntoViewIfNeeded()
    const closed = await button.boundingBox()
    await button.click()
    await page.locator('#menu-language').waitFor()
    assert.deepEqual(await button.boundingBox(), closed)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement.closest('.list-form') !== null), true, 'the form comes next')
    await button.click()
    await page.locator('#menu-language').waitFor({ state: 'hidden' })
  })
}

flow('a country leads to its region, the globe and other countries', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en/brazil')
  await page.locator('.land-ways a').first().click()
  await at(page, ({ pathname, hash }) => pathname === '/en/countries' && hash === '#region-005', 'that of South America')
  await until(() => page.locator('#region-005').evaluate(({ offsetTop }) => Math.abs(scrollY + 150 - offsetTop) < 150 || scrollY + innerHeight >= document.documentElement.scrollHeight - 2), 'the region is in sight')
  await page.goBack()
  await page.locator('.land-ways a').nth(1).click()
  await at(page, ({ search }) => search === '?at=BR', 'that of the globe')
  await page.goBack()
  await page.locator('main .countries a').first().click()
  await at(page, ({ pathname }) => pathname !== '/en/brazil' && pathname.startsWith('/en/'), 'that of another country')
  await page.locator('.land-ways').waitFor()
})

flow('a country is found by codes, by what people call it, and with slips', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en/countries')
  const shown = () => page.locator('.countries > li:visible').evaluateAll(rows => rows.map(row => row.dataset.code))
  for (const [typed, code] of [['usa', 'US'], ['uk', 'GB'], ['germny', 'DE'], ['deutsch', 'DE'], ['alemanha', 'DE'], ['brasil', 'BR'], ['fr', 'FR'], ['holland', 'NL'], ['Ελλάδα', 'GR']]) {
    await page.locator('#filter').fill(typed)
    await until(async () => (await shown()).includes(code), `${typed} finds ${code}`)
  }
  await page.locator('#filter').fill('qwertyuiop')
  await page.locator('#none').waitFor()
  assert.equal(await page.locator('#most').isVisible() || await page.locator('#jumps').isVisible(), false, 'only what is found is shown')
  await page.locator('#filter').fill('')
  await page.locator('#most').waitFor()
  await page.locator('#filter').fill('usa')
  await page.keyboard.press('Enter')
  await at(page, ({ pathname }) => pathname === '/en/united-states', 'that of the country')
})
