/** What happens when streams do not play: the next is tried, and people are told. */
import assert from 'node:assert/strict'
import { flow, plays } from '../flow.mjs'
import { gone, testChannel } from '../pages.mjs'
import { form, text } from '../texts.mjs'

/** Puts streams that are gone before those of the test channel, or in their place. */
async function broken(visit, stack, { instead }) {
  visit.forgive(/\/api\/s\/s_gone/)
  await visit.context.route(`${stack.hop}/api/s/s_gone*`, gone)
  await visit.context.route(url => url.pathname === `/api/channels/${testChannel}`, async route => {
    const response = await route.fetch()
    const record = await response.json()
    const lost = ['s_gone1', 's_gone2'].map(id => ({ ...record.streams[0], id, url: `${stack.hop}/api/s/${id}`, play_url: `${stack.hop}/api/s/${id}.m3u8`, title: id }))
    await route.fulfill({ response, json: { ...record, streams: instead ? lost : [lost[0], ...record.streams] } })
  })
}

/** The reports that the page makes. */
function reports(page) {
  const all = []
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/api/play-report')) {
      const { channel_id, ok, code } = request.postDataJSON()
      all.push({ channel_id, ok, ...(code && { code }) })
    }
  })
  return all
}

const isReport = response => response.url().endsWith('/api/play-report')

flow('a stream fails, and the next plays', {}, async (visit, stack) => {
  const { page } = visit
  await broken(visit, stack, { instead: false })
  const told = reports(page)
  await visit.go(`/en/channel/${testChannel}`)
  const notice = page.locator('#stage').getByText(form('en', 'player.ui.fallback')).waitFor()
  const reported = page.waitForResponse(isReport)
  await page.locator('#stage').getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await notice
  await plays(page)
  assert.equal((await reported).status() < 300, true)
  assert.deepEqual(told, [{ channel_id: testChannel, ok: true }])
})

flow('every stream fails, and people are told what to do', {}, async (visit, stack) => {
  const { page } = visit
  await broken(visit, stack, { instead: true })
  const told = reports(page)
  await visit.go(`/en/channel/${testChannel}`)
  const reported = page.waitForResponse(isReport)
  const stage = page.locator('#stage')
  await stage.getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state === 'failed')
  const alert = stage.getByRole('alert')
  await alert.getByText(text('en', 'failure.ui.label_sumiu'), { exact: true }).waitFor()
  await alert.getByText(text('en', 'failure.ui.hint_sumiu')).waitFor()
  await alert.getByRole('button', { name: text('en', 'player.ui.again') }).waitFor()
  await alert.getByRole('button', { name: text('en', 'player.ui.other_stream') }).waitFor()
  await alert.getByRole('link', { name: text('en', 'player.ui.legacy') }).waitFor()
  assert.equal((await reported).status() < 300, true)
  assert.deepEqual(told, [{ channel_id: testChannel, ok: false, code: 'sumiu' }])

  // What did not play may play later: trying again is no dead end.
  await visit.context.unrouteAll()
  await page.reload()
  await stage.getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await plays(page)
})

flow('a channel that does not play leads to the next, unless one stays', {}, async (visit, stack) => {
  const { page } = visit
  await broken(visit, stack, { instead: true })
  await visit.go(`/en/channel/${testChannel}`)
  const stage = page.locator('#stage')
  const next = stage.getByRole('alert').getByRole('button', { name: text('en', 'player.ui.next_working') })
  const countdown = stage.getByText(form('en', 'player.ui.next_soon'))
  await stage.getByRole('button', { name: text('en', 'player.ui.play') }).first().click()

  // The first button leads on, and a press on staying ends the countdown.
  await next.waitFor()
  assert.equal(await stage.getByRole('alert').getByRole('button').first().textContent(), text('en', 'player.ui.next_working'))
  await countdown.waitFor()
  await stage.getByRole('button', { name: text('en', 'player.ui.stay') }).click()
  await countdown.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).pathname, `/en/channel/${testChannel}`)

  // Left alone, the next channel comes: the first of those beside the player.
  const first = await page.locator('#next .next').first().getAttribute('data-id')
  await stage.getByRole('button', { name: text('en', 'player.ui.again') }).click()
  await countdown.waitFor()
  await page.waitForURL(url => !url.pathname.endsWith(`/${testChannel}`))
  assert.equal(decodeURIComponent(page.url().split('/').at(-1)), first)
})

flow('a problem is reported in the words of viewers', {}, async (visit) => {
  const { page } = visit
  const told = reports(page)
  await visit.go(`/en/channel/${testChannel}`)
  for (const [what, code] of [['stops', 'playlist'], ['blocked', 'geo']]) {
    await page.getByRole('button', { name: text('en', 'channel.report') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: text('en', `panel.ui.choice_${what}`), exact: true }).check()
    const made = page.waitForResponse(isReport)
    await dialog.getByRole('button', { name: text('en', 'panel.ui.send') }).click()
    assert.equal((await made).status() < 300, true)
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(told.pop(), { channel_id: testChannel, ok: false, code })
  }
})

for (const locale of ['pt', 'en', 'es', 'fr', 'de']) {
  flow(`every way on from a failure is in sight at 360 px in ${locale}`, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (visit, stack) => {
    const { page } = visit
    visit.forgive(/\/api\/s\//)
    await visit.context.route(`${stack.hop}/api/s/**`, gone)
    const folder = { pt: '/canal', en: '/en/channel', es: '/es/canal', fr: '/fr/chaine', de: '/de/sender' }[locale]
    await visit.go(`${folder}/${testChannel}`)
    await page.locator('#stage').getByRole('button', { name: text(locale, 'player.ui.play') }).first().click()
    await page.locator('.card-actions').waitFor()
    const out = await page.evaluate(() => {
      const stage = document.querySelector('#stage').getBoundingClientRect()
      const parts = [...document.querySelectorAll('.stage-card > :not([hidden]), .card-actions > :not([popover])')]
      return parts.filter(part => {
        const { left, right, top, bottom } = part.getBoundingClientRect()
        return left < stage.left || right > stage.right || top < stage.top || bottom > stage.bottom
      }).map(part => part.textContent)
    })
    assert.deepEqual(out, [])
    await page.locator('.card-actions').getByRole('button', { name: text(locale, 'player.ui.again') }).waitFor()
  })
}
