/** Going to the next channel: what it begins with is there before the key is pressed. */
import assert from 'node:assert/strict'
import { flow, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const en = key => text('en', key)

/** Gives every other channel the streams of the test channel. Returns what is asked of the hop, each with its time. */
async function alike(visit, { base, hop }) {
  const record = await (await fetch(new URL(`/api/channels/${testChannel}`, base))).json()
  await visit.context.route(url => /^\/api\/channels\/[^/]+$/.test(url.pathname), async route => {
    const id = decodeURIComponent(new URL(route.request().url()).pathname.split('/').pop())
    if (id === testChannel) return route.continue()
    return route.fulfill({ json: { ...record, id, name: id } })
  })
  const asked = []
  visit.page.on('request', request => { if (request.url().startsWith(`${hop}/api/s/`)) asked.push(request.url()) })
  const answered = []
  visit.page.on('requestfinished', request => { if (request.url().startsWith(`${hop}/api/s/`)) answered.push(request.url()) })
  return { asked, answered }
}

async function watch(visit) {
  await visit.go(`/en/channel/${testChannel}`)
  await visit.page.locator('#stage').getByRole('button', { name: en('player.ui.play') }).first().click()
  await plays(visit.page, 1)
}

const isAhead = url => new URL(url).searchParams.get('ahead') === '1'
const isMedia = url => new URL(url).searchParams.has('p')

flow('the next channel begins without a request for a playlist', {}, async (visit, stack) => {
  const { page } = visit
  const { asked, answered } = await alike(visit, stack)
  await watch(visit)
  await until(() => {
    const at = answered.findIndex(isAhead)
    return at >= 0 && answered.slice(at).some(isMedia)
  }, 'the playlists of the next channel were fetched')
  await page.evaluate(() => new Promise(requestAnimationFrame))

  const before = asked.length
  const took = await page.evaluate(() => new Promise(done => {
    const media = document.querySelector('#stage video')
    const pressed = performance.now()
    media.addEventListener('emptied', () => {
      const shown = () => done(performance.now() - pressed)
      if ('requestVideoFrameCallback' in media) media.requestVideoFrameCallback(shown)
      else media.addEventListener('playing', shown, { once: true })
    }, { once: true })
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ChannelUp', bubbles: true, cancelable: true }))
  }))
  const since = asked.slice(before)
  console.log(`  from the key to the first picture of the next channel: ${Math.round(took)} ms`)
  assert.deepEqual(since, [], 'no playlist is asked for')

  // The hop counts the play once the channel is shown, and it is the only request for its first playlist.
  await plays(page, 1)
  const firsts = () => asked.slice(before).filter(url => !isMedia(url) && !isAhead(url))
  await until(() => firsts().length > 0, 'the play is counted')
  assert.equal(firsts().length, 1)
})

flow('nothing is fetched ahead for those who save data', {}, async (visit, stack) => {
  const { page } = visit
  await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: Object.assign(new EventTarget(), { saveData: true }) }))
  const { asked } = await alike(visit, stack)
  await watch(visit)
  await plays(page, 4) // others ask after 1.5
  assert.deepEqual(asked.filter(isAhead), [])
})
