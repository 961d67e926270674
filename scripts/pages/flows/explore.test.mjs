/** Exploring the world: by pointer, wheel, keys and fingers, and without scripts. */
import assert from 'node:assert/strict'
import { barriers } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { text } from '../texts.mjs'

const laptop = { viewport: { width: 1280, height: 900 } }

/** Opens the page and waits for the globe; `places` is what it shows. */
async function open(visit, stack, query = '') {
  const { page } = visit
  await page.goto(`${stack.base}/en/explore${query}`)
  await page.locator('.globe-ball').waitFor()
  return page
}

/** Returns where the middle of the globe is on the page. */
async function middle(page) {
  const { x, y, width, height } = await page.locator('.globe-ball').boundingBox()
  return [x + width / 2, y + height / 2]
}

/** Returns what the canvas shows, to see whether it changed. */
const drawn = page => page.locator('.globe-canvas').evaluate(canvas => canvas.toDataURL())

/** Waits until the globe stands still, and returns what it shows. */
async function still(page) {
  let last = ''
  return until(async () => {
    const now = await drawn(page)
    const same = now === last
    last = now
    await page.waitForTimeout(200)
    return same && now
  }, 'the globe is still')
}

flow('somebody turns the globe, zooms, and opens a country with the pointer', laptop, async (visit, stack) => {
  const page = await open(visit, stack, '?at=BR')
  const [x, y] = await middle(page)
  await page.getByRole('button', { name: text('en', 'explore.ui.close') }).click()
  await page.waitForURL(url => url.search === '')
  const first = await still(page)
  await page.mouse.move(x, y)
  await page.mouse.wheel(0, -400)
  const zoomed = await still(page)
  assert.notEqual(zoomed, first)
  assert.equal(await page.evaluate(() => scrollY), 0, 'the page does not scroll meanwhile')
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 3, y, { steps: 2 })
  await page.mouse.up() // hardly moved: it was a press in the middle of Brazil
  await page.waitForURL(url => url.searchParams.has('at'))
  await page.locator('#chosen .next').first().waitFor()
  const chosen = await still(page)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x - 150, y + 40, { steps: 8 })
  await page.mouse.up()
  assert.notEqual(await still(page), chosen)
  assert.deepEqual(await barriers(page), [])
})

flow('somebody explores with keys alone', laptop, async (visit, stack) => {
  const page = await open(visit, stack, '?at=BR')
  await still(page)
  const globe = page.getByRole('application', { name: text('en', 'explore.ui.globe') })
  await globe.focus()
  const first = await still(page)
  await page.keyboard.press('ArrowRight')
  const turned = await still(page)
  assert.notEqual(turned, first)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('+')
  assert.notEqual(await still(page), turned)
  await page.getByRole('status').filter({ hasText: /station|TV channel/ }).waitFor({ state: 'attached' })
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'chosen-name')
  // Beyond the pole the arrow leads on over the page, as a remote control needs.
  await globe.focus()
  for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowUp')
  await page.waitForFunction(() => !document.activeElement?.matches('.globe-ball'))
})

flow('the globe does not move by itself where motion is unwanted', { ...laptop, reducedMotion: 'reduce' }, async (visit, stack) => {
  const page = await open(visit, stack)
  await still(page)
  const [x, y] = await middle(page)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 200, y, { steps: 5 })
  await page.mouse.up()
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.waitForTimeout(300) // the names of cities come once it is still
  const after = await drawn(page)
  await page.waitForTimeout(300)
  assert.equal(await drawn(page), after)
})

flow('two fingers zoom the globe on a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (visit, stack) => {
  const page = await open(visit, stack)
  const first = await still(page)
  const [x, y] = await middle(page)
  const client = await page.context().newCDPSession(page)
  const fingers = (type, far) => client.send('Input.dispatchTouchEvent', { type, touchPoints: far ? [{ x: x - far, y, id: 0 }, { x: x + far, y, id: 1 }] : [] })
  await fingers('touchStart', 20)
  for (const far of [30, 50, 70]) await fingers('touchMove', far)
  await fingers('touchEnd', 0)
  assert.notEqual(await still(page), first)
  assert.equal(await page.evaluate(() => visualViewport.scale), 1, 'the page itself is not zoomed')
})

flow('a station plays on while one looks around', laptop, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|Failed to load resource|^request: /) // the stations of the sample are elsewhere
  const page = await open(visit, stack, '?at=BR')
  const row = page.locator('#chosen [data-kind=radio] a').first()
  const name = await row.locator('.next-name').innerText()
  await row.click()
  await page.locator('.dock .dock-link', { hasText: name }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/en/explore')
  await page.getByRole('button', { name: text('en', 'explore.ui.close') }).click()
  await page.locator('#chosen-name', { hasText: text('en', 'explore.cities') }).waitFor()
  assert.equal(await page.locator('.dock').count(), 1)
})

flow('somebody explores without scripts', { javaScriptEnabled: false }, async (visit, stack) => {
  visit.forgive(/^request: csp .*\.js$/)
  const { page } = visit
  await page.goto(`${stack.base}/en`)
  await page.getByRole('navigation', { name: text('en', 'layout.nav') }).getByRole('link', { name: text('en', 'layout.explore') }).click()
  await page.locator('.explore-region a', { hasText: 'Brazil' }).click()
  await page.waitForURL(url => url.search === '?at=BR')
  await page.locator('#chosen .next-link').first().click()
  await page.waitForURL(url => url.pathname.startsWith('/en/channel/'))
})

/** Follows links to another page and back, while a station plays. */
async function around(page) {
  await page.getByRole('navigation', { name: text('en', 'layout.nav') }).getByRole('link', { name: text('en', 'layout.schedule') }).click()
  await page.waitForURL(url => url.pathname === '/en/schedule')
  await page.getByRole('navigation', { name: text('en', 'layout.nav') }).getByRole('link', { name: text('en', 'layout.explore') }).click()
  await page.waitForURL(url => url.pathname === '/en/explore')
  await page.locator('.globe-ball').waitFor()
}

flow('one station plays, however quickly another is chosen', laptop, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|Failed to load resource|^request: |^status: 503 /)
  const page = await open(visit, stack, '?at=BR')
  const rows = page.locator('#chosen [data-kind=radio] a')
  await rows.first().waitFor()
  const name = await rows.nth(1).locator('.next-name').innerText()
  await rows.evaluateAll(([first, second]) => { first.click(); second.click() })
  await page.locator('.dock .dock-link', { hasText: name }).waitFor()
  await page.waitForTimeout(300)
  assert.equal(await page.locator('.dock').count(), 1)
})

flow('a station plays beside the page that one comes back to', laptop, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|Failed to load resource|^request: |^status: 503 /)
  const page = await open(visit, stack, '?at=BR')
  const rows = page.locator('#chosen [data-kind=radio] a')
  await rows.first().click()
  await page.locator('.dock .dock-link').waitFor()
  for (let i = 0; i < 3; i++) await around(page)
  await page.locator('.explore-region a', { hasText: 'Brazil' }).click()
  const name = await rows.nth(1).locator('.next-name').innerText()
  await rows.nth(1).click()
  await page.locator('.dock .dock-link', { hasText: name }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/en/explore')
})

flow('a place that was still on its way is no failure of the page that one goes on to', laptop, async (visit, stack) => {
  visit.forgive(/ERR_NAME_NOT_RESOLVED|ERR_ABORTED|Failed to load resource|^request: |^status: 503 /)
  const page = await open(visit, stack, '?at=BR')
  await page.locator('#chosen [data-kind=radio] a').first().click()
  await page.locator('.dock .dock-link').waitFor()
  await visit.context.route(url => url.pathname.startsWith('/en/around/'), () => {}) // it never comes
  await page.locator('.explore-region a').first().click()
  await page.locator('#chosen[aria-busy]').waitFor()
  await page.getByRole('navigation', { name: text('en', 'layout.nav') }).getByRole('link', { name: text('en', 'layout.schedule') }).click()
  await page.waitForURL(url => url.pathname === '/en/schedule')
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))))
  assert.equal(await page.locator('.toast', { hasText: text('en', 'layout.ui.failed') }).count(), 0)
})
