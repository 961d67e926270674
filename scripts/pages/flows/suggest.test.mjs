/** What the search field offers: what was searched for and watched here, and what its words may mean. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { barriers } from '../browser.mjs'
import { at, flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const kept = page => page.evaluate(() => JSON.parse(localStorage.getItem('mm-searches') ?? '[]'))
const options = page => page.locator('#suggestions [role=option]:not(.suggest-drop) .suggest-text').allTextContents()
const active = page => page.evaluate(() => document.getElementById(document.querySelector('#q').getAttribute('aria-activedescendant'))?.textContent.trim() ?? '')

flow('words on a page that is no list suggest channels and lists, which keys open', {}, async ({ page, ...visit }, stack) => {
  await page.goto(`${stack.base}/en/about`)
  await page.locator('#q').click()
  await page.locator('#q').pressSequentially('braz')
  await page.locator('#suggestions').getByText('Brazil', { exact: true }).waitFor()
  assert.equal((await options(page))[0], 'Brazil', 'the country comes first')
  assert.equal(await page.locator('#q').getAttribute('aria-expanded'), 'true')
  assert.deepEqual(await barriers(page), [])

  await page.keyboard.press('ArrowDown')
  assert.match(await active(page), /^Brazil/)
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q', 'the field keeps the focus')
  await page.keyboard.press('ArrowUp')
  assert.equal(await active(page), '', 'before the first option is the field')
  await page.keyboard.press('Escape')
  await page.locator('#suggestions').waitFor({ state: 'hidden' })
  assert.equal(await page.locator('#q').inputValue(), 'braz', 'Escape leaves the words')
  await page.locator('#q').press('i')
  await page.locator('#suggestions').getByText('Brazil', { exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await at(page, ({ pathname }) => pathname === '/en/brazil', 'that of the country')
  assert.deepEqual(await kept(page), ['brazi'])
})

flow('a remote control gets past what is offered, to the cards', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en')
  await page.evaluate(() => localStorage.setItem('mm-searches', '["jazz"]'))
  await page.locator('#q').click()
  await page.locator('#suggestions').getByText('jazz').waitFor()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowDown') // the search, what clears them, and out
  await page.locator('#suggestions').waitFor({ state: 'hidden' })
  assert.notEqual(await page.evaluate(() => document.activeElement.id), 'q')
})

flow('channels are suggested with their plates', {}, async ({ page }, stack) => {
  await page.goto(`${stack.base}/en/about`)
  await page.locator('#q').fill('test card')
  const option = page.locator(`#suggestions [data-channel="${testChannel}"]`)
  await option.locator('.plate').waitFor()
  await option.click()
  await at(page, ({ pathname }) => pathname === `/en/channel/${testChannel}`, 'that of the channel')
  assert.deepEqual(await kept(page), ['test card'])
})

flow('a list searches while one types, and nothing is laid over it', {}, async ({ page }, stack) => {
  await page.goto(`${stack.base}/en`)
  await page.locator('#q').click()
  await page.locator('#q').pressSequentially('test card')
  await page.locator(`#cards [data-id="${testChannel}"]`).waitFor()
  assert.equal(await page.locator('#suggestions').isVisible(), false)
})

flow('recent searches are offered, and forgotten one by one and all', {}, async ({ page }, stack) => {
  const search = async words => {
    await page.goto(`${stack.base}/en/about`)
    await page.locator('#q').fill(words)
    await page.locator('#q').press('Enter')
    await at(page, ({ searchParams }) => searchParams.get('q') === words, `a search for ${words}`)
  }
  await search('news')
  await search('jazz')
  await search('News')
  assert.deepEqual(await kept(page), ['News', 'jazz'], 'the last first, each once')

  await page.goto(`${stack.base}/en/about`)
  await page.locator('#q').click()
  await until(async () => String(await options(page)) === 'News,jazz', 'both are offered')
  const drop = page.getByRole('option', { name: text('en', 'layout.ui.recent_drop', { q: 'jazz' }) })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  assert.equal(await drop.getAttribute('aria-selected'), 'true', 'the arrow leads to what forgets it')
  await page.keyboard.press('Enter')
  await until(async () => String(await options(page)) === 'News', 'one is forgotten')
  await page.getByRole('option', { name: text('en', 'layout.ui.recent_clear') }).click()
  await page.locator('#suggestions').waitFor({ state: 'hidden' })
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-searches')), null)

  // What others wrote into the storage, and too much of it, does no harm.
  await page.evaluate(() => localStorage.setItem('mm-searches', JSON.stringify(['<b>x</b>', 7, null, 'y'.repeat(999), ...Array(50).fill('z')])))
  await page.reload()
  await page.locator('#q').click()
  await until(async () => (await options(page)).length === 6, 'six at most are offered')
  assert.equal((await options(page))[0], '<b>x</b>')
})

flow('on a phone what was watched is offered, as wide as the page and above the tabs', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (visit, stack) => {
  const { page } = visit
  const guest = await Guest.make(stack.base)
  await guest.call('POST', '/api/history', { channel_id: testChannel })
  await guest.become(visit.context)
  await visit.context.addInitScript(() => { if (location.origin !== 'null') localStorage.setItem('mm-watched', '1') })
  await visit.go('/en/about')
  await page.locator('#q').tap()
  const option = page.locator(`#suggestions [data-channel="${testChannel}"]`)
  await option.waitFor()
  const box = await page.locator('#suggestions').boundingBox()
  assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.width > 330, `${box.x} to ${box.x + box.width}`)
  assert.ok((await option.boundingBox()).height >= 44)
  assert.deepEqual(await barriers(page), [])
  await option.tap()
  await at(page, ({ pathname }) => pathname === `/en/channel/${testChannel}`, 'that of the channel')
})

flow('a browser that stores nothing searches all the same', {}, async (visit, stack) => {
  const { page } = visit
  await visit.context.addInitScript(() => Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } }))
  await page.goto(`${stack.base}/en/about`)
  await page.locator('#q').fill('news')
  await page.locator('#suggestions [role=option]').first().waitFor()
  await page.locator('#q').press('Enter')
  await at(page, ({ searchParams }) => searchParams.get('q') === 'news', 'a search')
})
