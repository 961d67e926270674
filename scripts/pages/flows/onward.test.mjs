/** What plays goes on while one looks around. */
import assert from 'node:assert/strict'
import { flow, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const en = key => text('en', key)

/** Opens a channel and plays it, and notes from then on whatever interrupts its media. */
async function watch(visit, id) {
  const { page } = visit
  await visit.go(`/en/channel/${id}`)
  await page.locator('#stage').getByRole('button', { name: en('player.ui.play') }).first().click()
  await plays(page, 1)
  await page.evaluate(() => {
    const media = document.querySelector('#stage video')
    window.watched = { media, broken: [], gap: 0 }
    for (const name of ['pause', 'emptied', 'ended', 'seeking', 'error']) media.addEventListener(name, () => window.watched.broken.push(name))
    let [wall, at] = [performance.now(), media.currentTime]
    setInterval(() => {
      const [now, shown] = [performance.now(), media.currentTime]
      window.watched.gap = Math.max(window.watched.gap, (now - wall) - 1000 * (shown - at));
      [wall, at] = [now, shown]
    }, 50)
  })
}

/** Checks that the document and its media are those of the beginning, uninterrupted. */
async function uninterrupted(page) {
  const state = await page.evaluate(() => ({ same: window.watched?.media === document.querySelector('#stage video'), broken: window.watched?.broken, paused: window.watched?.media.paused }))
  assert.deepEqual(state, { same: true, broken: [], paused: false })
}

const shows = (page, name) => page.waitForFunction(name => document.body.dataset.page === name && !document.querySelector('#main').hasAttribute('aria-busy'), name)

flow('a channel plays on across twenty pages', {}, async (visit) => {
  const { page } = visit
  await watch(visit, testChannel)
  const dock = page.getByRole('complementary', { name: en('player.ui.dock') })
  const nav = async (key, name) => {
    await page.locator('header, footer').getByRole('link', { name: en(key), exact: true }).click()
    await shows(page, name)
  }
  const back = async name => { await page.goBack(); await shows(page, name) }
  const forward = async name => { await page.goForward(); await shows(page, name) }
  const steps = [
    () => nav('layout.countries', 'countries'), () => nav('layout.favorites', 'favorites'), () => nav('layout.library', 'library'), () => nav('layout.history', 'history'),
    () => back('library'), () => back('favorites'), () => forward('library'), () => forward('history'),
    async () => { await page.locator('.brand').click(); await shows(page, 'home') },
    async () => { await page.locator('#q').fill('arte'); await page.waitForFunction(() => location.search.includes('q=arte')) },
    () => nav('layout.countries', 'countries'),
    async () => { await page.locator('.countries a').first().click(); await shows(page, 'country') },
    () => back('countries'), () => nav('layout.history', 'history'),
    async () => { await page.locator('footer').getByRole('link', { name: en('layout.about') }).click(); await shows(page, 'about') },
    () => back('history'),
    async () => { await dock.getByRole('link').click(); await shows(page, 'channel') },
    () => back('history'), () => back('countries'), () => forward('history'),
  ]
  assert.equal(steps.length, 20)
  for (const step of steps) {
    await step()
    await uninterrupted(page)
  }
  assert.equal(await page.title(), `${en('history.title')} · Miramundo`)
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main', 'a screen reader begins where the page does')
  assert.equal(await page.locator('.nav [aria-current]').count(), 1)
  await dock.getByRole('link').click()
  await shows(page, 'channel')
  await uninterrupted(page)
  assert.equal(new URL(page.url()).pathname, `/en/channel/${testChannel}`)
  await dock.waitFor({ state: 'detached' })
  console.log(`  longest gap of the media's clock over 20 pages: ${Math.round(await page.evaluate(() => window.watched.gap))} ms`)
})

flow('the small player pauses, zaps and stops', {}, async (visit) => {
  const { page } = visit
  visit.forgive(/\/api\/s\//) // the next channel need not play
  await watch(visit, testChannel)
  await page.locator('footer').getByRole('link', { name: en('layout.countries') }).click()
  await shows(page, 'countries')
  const dock = page.getByRole('complementary', { name: en('player.ui.dock') })
  await dock.getByRole('button', { name: en('player.ui.pause') }).click()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state === 'paused')
  await dock.getByRole('button', { name: en('player.ui.play') }).click()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state === 'playing')
  const name = await dock.getByRole('link').textContent()
  await dock.getByRole('button', { name: en('player.ui.next') }).click()
  await until(async () => await dock.getByRole('link').textContent() !== name, 'another channel is in the small player')
  assert.equal(new URL(page.url()).pathname, '/en/countries')
  await dock.getByRole('button', { name: en('player.ui.end') }).click()
  await dock.waitFor({ state: 'detached' })
  assert.equal(await page.locator('video').count(), 0)

  // With nothing to go on, a link is a link again, and back leads to the channel.
  await page.goBack()
  await shows(page, 'channel')
  assert.equal(await page.locator('#main #stage').count(), 1)
  await page.evaluate(() => { window.watched = 'this document' })
  await page.locator('footer').getByRole('link', { name: en('layout.countries') }).click()
  await page.waitForFunction(() => document.body?.dataset.page === 'countries' && window.watched === undefined)
})

flow('a page that stands alone, and one in another language, end what plays', {}, async (visit) => {
  const { page } = visit
  await watch(visit, testChannel)
  await page.locator('footer').getByRole('link', { name: en('layout.countries') }).click()
  await shows(page, 'countries')
  await page.locator('#prefs > summary').click()
  await page.locator('#prefs').getByRole('link', { name: text('de', 'layout.language_name') }).click()
  await page.waitForURL('**/de/laender')
  assert.equal(await page.evaluate(() => window.watched), undefined)
})
