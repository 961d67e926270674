/** Two channels beside each other: the sound of one, each counted, and the page as before once the second is closed. */
import assert from 'node:assert/strict'
import { flow, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const en = (key, name) => text('en', `player.ui.${key}`, { name })
const other = 'TVCultura.br'

/** Gives the other channel the streams of the test channel, and plays the first. */
async function watch(visit, { base }) {
  const record = await (await fetch(new URL(`/api/channels/${testChannel}`, base))).json()
  await visit.context.route(url => url.pathname === `/api/channels/${other}`, route => route.fulfill({ json: { ...record, id: other, name: 'TV Cultura' } }))
  await visit.go(`/en/channel/${testChannel}`)
  await visit.page.locator('#stage').getByRole('button', { name: en('play') }).first().click()
  await plays(visit.page, 1)
}

/** Chooses the second channel by the keyboard. */
async function choose(page) {
  await page.locator('.stage-bar').getByRole('button', { name: en('beside') }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemradio', { name: /TV Cultura/ }).focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('.second video')?.currentTime > 3.5)
}

const heard = page => page.evaluate(() => ['#stage > video', '.second > video'].map(video => !document.querySelector(video)?.muted))

flow('two channels are watched side by side, and one is heard', {}, async (visit, stack) => {
  const { page } = visit
  await watch(visit, stack)
  const reports = []
  page.on('request', request => { if (request.method() === 'POST' && /\/api\/(history|channels\/[^/]+\/report)/.test(request.url())) reports.push(request.url() + (request.postData() ?? '')) })
  await choose(page)
  assert.deepEqual(await heard(page), [true, false])
  const boxes = await page.evaluate(() => ['#stage', '#stage > video', '.second'].map(part => document.querySelector(part).getBoundingClientRect().toJSON()))
  const [stage, first, second] = boxes
  assert.ok(Math.abs(first.width - stage.width / 2) < 3 && Math.abs(second.width - stage.width / 2) < 3 && second.left >= first.right - 2, 'each has its half')
  assert.ok(stage.right <= await page.evaluate(() => document.documentElement.clientWidth))

  const group = page.getByRole('group', { name: en('beside_label') })
  assert.equal(await page.evaluate(() => document.activeElement.closest('.second') !== null), true, 'the focus is on the second channel')
  await page.keyboard.press('Enter')
  assert.deepEqual(await heard(page), [false, true])
  await page.keyboard.press('b')
  assert.deepEqual(await heard(page), [true, false])
  await group.locator('video').click()
  assert.deepEqual(await heard(page), [false, true])
  await until(() => reports.some(report => report.includes('/history') && report.includes(other)), 'the second channel is in the history')

  await group.getByRole('button', { name: en('beside_close', 'TV Cultura') }).click()
  await group.waitFor({ state: 'detached' })
  assert.equal(await page.locator('#stage').getAttribute('data-second'), null)
  assert.equal(await page.evaluate(() => document.querySelector('#stage > video').muted), false)
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), en('beside'))
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('mm-volume') ?? '[1,false]')[1]), false, 'the first is not mute the next time')
  assert.equal(await page.evaluate(() => document.querySelector('#stage > video').paused), false)
})

flow('the first channel stays mute as somebody left it, whichever of the two was heard', {}, async (visit, stack) => {
  const { page } = visit
  await watch(visit, stack)
  await choose(page)
  await page.keyboard.press('m')
  assert.deepEqual(await heard(page), [false, false])
  await page.keyboard.press('b')
  assert.deepEqual(await heard(page), [false, true])
  await page.keyboard.press('b')
  assert.deepEqual(await heard(page), [false, false])
  await page.getByRole('group', { name: en('beside_label') }).getByRole('button', { name: en('beside_close', 'TV Cultura') }).click()
  await until(() => page.evaluate(() => document.querySelector('.second') === null), 'the second channel is closed')
  assert.equal(await page.evaluate(() => document.querySelector('#stage > video').muted), true)
})

flow('a second channel whose player cannot be loaded is said, and the next press tries again', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/second-|ERR_FAILED|Failed to load resource/)
  await watch(visit, stack)
  await visit.context.route(/\/assets\/second-[^/]*\.js$/, route => route.abort(), { times: 1 })
  await page.locator('.stage-bar').getByRole('button', { name: en('beside') }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemradio', { name: /TV Cultura/ }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.toast', { hasText: text('en', 'layout.ui.failed') }).waitFor()
  await choose(page)
})

flow('the second channel ends with the page, and is watched alone on a press', {}, async (visit, stack) => {
  const { page } = visit
  await watch(visit, stack)
  await choose(page)
  await page.locator('footer').getByRole('link', { name: text('en', 'layout.countries') }).click()
  await page.waitForFunction(() => document.body.dataset.page === 'countries')
  await until(() => page.evaluate(() => document.querySelector('.second') === null && document.querySelectorAll('video').length === 1), 'there is one player')
  await page.goBack()
  await page.waitForFunction(() => document.body.dataset.page === 'channel')
  await choose(page)
  await page.getByRole('group', { name: en('beside_label') }).getByRole('button', { name: en('beside_only', 'TV Cultura') }).click()
  await page.waitForFunction(id => location.pathname === `/en/channel/${id}`, other)
  await until(() => page.evaluate(() => document.querySelector('.second') === null), 'the second channel is closed')
})

flow('a narrow window has no room for two', { viewport: { width: 900, height: 700 } }, async (visit, stack) => {
  await watch(visit, stack)
  assert.equal(await visit.page.locator('.second-open').isVisible(), false)
})
