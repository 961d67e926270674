/** Radio nearby: the button that asks where one is, the list around a place, and the pages of cities. */
import assert from 'node:assert/strict'
import { barriers } from '../browser.mjs'
import { flow, plays } from '../flow.mjs'
import { text } from '../texts.mjs'

const laptop = { viewport: { width: 1280, height: 900 } }
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
const lisbon = { latitude: 38.7611, longitude: -9.1234 }
const distances = page => page.locator('#cards .card-distance').allInnerTexts()
const button = page => page.getByRole('button', { name: text('en', 'near.me') })

flow('somebody asks on a phone for what is near, and changes the radius', { ...phone, geolocation: lisbon, permissions: ['geolocation'] }, async (visit, stack) => {
  const { page } = visit
  await page.goto(`${stack.base}/en/explore`)
  assert.match(await page.locator('#locate-hint').innerText(), /rounded to about a kilometre.*records leave it out/)
  await button(page).click()
  await page.waitForURL(url => url.searchParams.get('near') === '38.76,-9.12') // rounded
  await page.locator('h1', { hasText: 'Lisbon' }).waitFor()
  const near = await distances(page)
  assert.ok(near.length > 0 && near.every(far => parseFloat(far) <= 50), String(near))
  assert.deepEqual(await barriers(page), [])
  await page.getByRole('link', { name: '500 km', exact: true }).click()
  await page.waitForURL(url => url.searchParams.get('radius') === '500')
  await page.locator('#radius-500[aria-current]').waitFor()
  assert.ok((await distances(page)).length > near.length)
  await page.locator('#drop-near').click()
  await page.waitForURL(url => !url.searchParams.has('near'))
  await page.waitForFunction(() => document.querySelectorAll('.card-distance').length === 0)
})

flow('a browser that does not say where it is gets an answer in words', laptop, async (visit, stack) => {
  const { page } = visit
  await page.goto(`${stack.base}/en?kind=radio`)
  await page.evaluate(() => { navigator.geolocation.getCurrentPosition = (_, refuse) => refuse({ code: 1 }) })
  await button(page).click()
  await page.getByRole('status').filter({ hasText: text('en', 'near.ui.denied') }).waitFor()
  await page.evaluate(() => { navigator.geolocation.getCurrentPosition = (_, refuse) => refuse({ code: 3 }) })
  await button(page).click()
  await page.getByRole('status').filter({ hasText: text('en', 'near.ui.failed') }).waitFor()
  assert.equal(new URL(page.url()).search, '?kind=radio')
})

flow('the pages that do not need it may not ask where one is', { ...laptop, permissions: ['geolocation'] }, async (visit, stack) => {
  const { page } = visit
  for (const [path, may] of [['/en/explore', true], ['/en', true], ['/en/radio/lisbon-2267057', true], ['/en/schedule', false], ['/en/about', false], ['/en/favorites', false]]) {
    await page.goto(stack.base + path)
    assert.equal(await page.evaluate(() => document.featurePolicy.allowsFeature('geolocation')), may, path)
  }
})

flow('somebody comes to the page of a city, plays a station there, and goes on to its country', laptop, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|ERR_ABORTED|Failed to load resource|^request: |^status: 503 /) // the stations of the sample are elsewhere
  const { page } = visit
  await page.goto(`${stack.base}/en/radio/anything-2267057`)
  await page.waitForURL(url => url.pathname === '/en/radio/lisbon-2267057')
  assert.equal(await page.title(), 'Radio stations in Lisbon, Portugal: listen live · Miramundo')
  assert.equal(await page.locator('link[rel=canonical]').getAttribute('href'), `${stack.base}/en/radio/lisbon-2267057`)
  assert.deepEqual(await barriers(page), [])
  const card = page.locator('#cards .card-link').first()
  const name = await card.innerText()
  await card.click()
  await page.locator('.dock .dock-link', { hasText: name }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/en/radio/lisbon-2267057')
  await page.getByRole('link', { name: 'Radio in Portugal' }).click()
  await page.waitForURL(url => url.pathname === '/en/portugal')
  await page.locator('section[aria-labelledby=cities] a', { hasText: 'Lisbon' }).click()
  await page.waitForURL(url => url.pathname === '/en/radio/lisbon-2267057')
})

flow('a page of a city is left by keys alone', laptop, async (visit, stack) => {
  const { page } = visit
  await page.goto(`${stack.base}/en/radio/lisbon-2267057`)
  await page.locator('#cards .card-link').first().focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.evaluate(() => document.activeElement.closest('.card') === document.querySelectorAll('#cards .card')[1]), true)
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Shift+Tab')
    assert.equal(await page.evaluate(() => document.activeElement.closest('.map') === null), true, 'what the map shows is in the list')
  }
})

flow('cities and places work without scripts', { javaScriptEnabled: false }, async (visit, stack) => {
  visit.forgive(/^request: csp .*\.js$/)
  const { page } = visit
  await page.goto(`${stack.base}/en/portugal`)
  await page.locator('section[aria-labelledby=cities] a', { hasText: 'Lisbon' }).click()
  await page.waitForURL(url => url.pathname === '/en/radio/lisbon-2267057')
  assert.equal(await button(page).isVisible(), false)
  assert.equal(await page.locator('.map-disc').isVisible(), true)
  await page.locator('.land-ways a[href*=near]').click()
  await page.waitForURL(url => url.searchParams.has('near'))
  assert.ok((await distances(page)).length > 0)
  await page.getByRole('link', { name: '10 km', exact: true }).click()
  await page.waitForURL(url => url.searchParams.get('radius') === '10')
  await page.locator('#cards .card-link').first().click()
  await page.waitForURL(url => url.pathname.startsWith('/en/channel/'))
})

flow('a page that took the place of another is loaded anew before it asks', { ...laptop, geolocation: lisbon, permissions: ['geolocation'] }, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|ERR_ABORTED|Failed to load resource|^request: |^status: 503 /)
  const { page } = visit
  await page.goto(`${stack.base}/en/channel/${stack.station}`)
  await page.locator('#stage').getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await plays(page, 1)
  await page.getByRole('navigation', { name: text('en', 'layout.nav') }).getByRole('link', { name: text('en', 'layout.explore') }).click()
  await page.waitForURL(url => url.pathname === '/en/explore')
  await button(page).waitFor()
  assert.equal(await page.evaluate(() => document.featurePolicy.allowsFeature('geolocation')), false)
  await button(page).click()
  await page.getByRole('status').filter({ hasText: text('en', 'near.ui.again') }).waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'locate')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.has('near'))
})
