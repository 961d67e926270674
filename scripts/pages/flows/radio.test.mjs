/** Stations: what they play now, and the sleep timer. */
import assert from 'node:assert/strict'
import { flow, plays, until } from '../flow.mjs'
import { text } from '../texts.mjs'

const en = key => text('en', key)

/** Answers what a station plays with titles, of which the last goes on. Returns how often it was asked. */
async function tells(visit, ...titles) {
  const asked = { times: 0 }
  await visit.context.route(url => url.pathname.endsWith('/now-playing'), route => {
    const title = titles[Math.min(asked.times++, titles.length - 1)]
    return route.fulfill({ json: { channel_id: 'x', title, checked_at: null } })
  })
  return asked
}

async function listen(visit, stack) {
  await visit.go(`/en/channel/${stack.station}`)
  await visit.page.locator('#stage').getByRole('button', { name: en('player.ui.play') }).first().click()
  await plays(visit.page, 1)
}

flow('what a station plays is shown, also on the lock screen and in the small player', {}, async (visit, stack) => {
  const { page } = visit
  await page.clock.install()
  const asked = await tells(visit, 'Artist - <b>First</b>', 'Artist - Second', null)
  await listen(visit, stack)
  const line = page.locator('.stage-playing')
  await line.getByText('Artist - <b>First</b>').waitFor()
  assert.equal(await page.evaluate(() => navigator.mediaSession.metadata.title), 'Artist - <b>First</b>')
  await page.clock.fastForward(20_000)
  await line.getByText('Artist - Second').waitFor()

  await page.locator('footer').getByRole('link', { name: en('layout.countries') }).click()
  const dock = page.getByRole('complementary', { name: en('player.ui.dock') })
  await dock.locator('.dock-song').getByText('Artist - Second').waitFor()

  // A title that is not known any more is not shown, and one that pauses asks no more.
  await page.clock.fastForward(20_000)
  await until(async () => await page.locator('.dock-song').textContent() === '', 'no title is shown')
  await dock.getByRole('button', { name: en('player.ui.pause') }).click()
  await dock.getByRole('button', { name: en('player.ui.play') }).waitFor()
  const { times } = asked
  await page.clock.fastForward(200_000)
  assert.equal(asked.times, times)
})

flow('a television channel is not asked what it plays', {}, async (visit) => {
  const asked = await tells(visit, 'x')
  await visit.go('/en/channel/MiramundoTest.br')
  await visit.page.locator('#stage').getByRole('button', { name: en('player.ui.play') }).first().click()
  await plays(visit.page, 1)
  assert.equal(asked.times, 0)
  assert.equal(await visit.page.locator('.stage-playing').isVisible(), false)
})

flow('the sleep timer makes the sound quiet, and pauses', {}, async (visit, stack) => {
  const { page } = visit
  await page.clock.install()
  await tells(visit, null)
  await listen(visit, stack)
  const button = page.locator('.stage-bar').getByRole('button', { name: en('player.ui.settings') })
  const choices = page.getByRole('menu', { name: en('player.ui.settings') }).getByRole('group', { name: en('player.ui.sleep') })
  const choose = async name => {
    await button.click()
    await choices.getByRole('menuitemradio', { name, exact: true }).click()
  }
  const volume = () => page.evaluate(() => document.querySelector('#stage video').volume)
  const paused = () => page.evaluate(() => document.querySelector('#stage video').paused)
  const loud = await volume()
  await choose(en('player.ui.sleep_minutes').replace('{n}', '15'))
  await page.clock.fastForward((15 * 60 - 20) * 1000)
  await until(async () => await volume() < loud, 'it becomes quieter')
  assert.equal(await paused(), false)
  await page.clock.runFor(21_000)
  await until(paused, 'it is paused')
  assert.equal(await volume(), loud)
  await page.locator('#toasts').getByText(en('player.ui.slept')).waitFor()
  await button.click()
  assert.equal(await choices.getByRole('menuitemradio', { name: en('player.ui.off'), exact: true }).getAttribute('aria-checked'), 'true')
})
