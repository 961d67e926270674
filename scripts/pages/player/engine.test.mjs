/** The player in a browser: what plays, what falls back, and which code each failure has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { canClip, Origin } from './origin.mjs'
import { play, stand, state, stream, told } from './stand.mjs'

const origin = new Origin()
const hop = new Origin(origin)

const names = events => events.map(({ name }) => name)
const details = (events, name) => events.filter(event => event.name === name).map(({ detail }) => detail)

/** What is meant to go wrong where streams fail: requests to their origin. */
const meant = visit => visit.forgive(/127\.0\.0\.1:\d+\/(hop|status|broken|hang|closed|closedts|live|junk)\b/, new RegExp(`(${origin.base}|${hop.base})/`), /ERR_FAILED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_REFUSED/)

async function testStreams(stack) {
  const record = await (await fetch(new URL(`/api/channels/${testChannel}`, stack.base))).json()
  return record.streams
}

async function testStation(stack) {
  const list = await (await fetch(new URL('/api/channels?q=Miramundo%20Test%20Tone&kind=radio', stack.base))).json()
  const record = await (await fetch(new URL(`/api/channels/${encodeURIComponent(list.items[0].id)}`, stack.base))).json()
  return record.streams
}

flow('the test channel plays through the hop', {}, async (visit, stack) => {
  const { page } = visit
  await stand(visit)
  const [first] = await testStreams(stack)
  const asked = []
  page.on('request', request => asked.push(request.url()))
  await play(page, [first])
  const events = await told(page, 'played')
  assert.deepEqual(details(events, 'state').slice(0, 2), ['connecting', 'playing'])
  assert.deepEqual(details(events, 'played'), [first.id])
  const { at } = events.find(({ name }) => name === 'played')
  const began = events.find(({ detail }) => detail === 'playing').at
  assert.ok(at - began > 1.5 && at > 2.5, `it was told at ${at}, playing since ${began}`)
  assert.ok(asked.some(url => url.startsWith(first.url)), 'through the hop')
  assert.ok(asked.some(url => /\/assets\/hls\.worker-/.test(url)), 'the worker is a file of this site')
  assert.ok(!asked.some(url => /mpegts|dash/.test(url)), 'what no stream needs is not loaded')

  // Once for the channel, however long it plays; and once more for another.
  await page.waitForFunction(() => window.player.media.currentTime > 8)
  assert.equal(details(await page.evaluate(() => window.events), 'played').length, 1)
  await page.evaluate(() => window.player.stop())
  assert.equal(await page.evaluate(() => window.player.state), 'idle')
  assert.equal(await page.evaluate(() => window.player.media.src), '')
  await play(page, [first])
  await told(page, 'played')
})

flow('a station plays, and so does one that stopped', {}, async (visit, stack) => {
  const { page } = visit
  await stand(visit)
  await play(page, await testStation(stack))
  await told(page, 'played')
  await page.evaluate(() => window.player.pause())
  await state(page, 'paused')
  await page.evaluate(() => void window.player.play())
  await state(page, 'playing')
})

flow('continuous transport streams play', {}, async (visit, stack) => {
  await stand(visit)
  await play(visit.page, [stream('ts', 'ts', origin.url('ts'))])
  assert.deepEqual(details(await told(visit.page, 'played'), 'played'), ['ts'])
  await visit.page.evaluate(() => window.player.stop())
})

const failures = [
  ['geo', 'hls', 'hop/422/playlist_acesso/403'],
  ['geo', 'hls', 'hop/502/playlist_acesso/401'],
  ['sumiu', 'hls', 'hop/404/stream_not_found'],
  ['sumiu', 'hls', 'hop/422/playlist_origem/404'],
  ['playlist', 'hls', 'hop/422/playlist_origem/200'],
  ['playlist', 'hls', 'hop/422/playlist_limite'],
  ['playlist', 'hls', 'junk'],
  ['sem_resposta', 'hls', 'hop/503/playlist_indisponivel'],
  ['sem_resposta', 'hls', 'broken', true], // a hop that does not answer
  ['sem_resposta', 'hls', 'hop/502/internal', true],
  ['geo', 'hls', 'live/status/403'],
  ['sumiu', 'hls', 'live/status/404'],
  ['sem_resposta', 'hls', 'live/broken'],
  ['codec', 'hls', 'codecs/hvc1.1.6.L93.B0'],
  ['outro', 'hls', 'hop/400/bad'],
  ['sumiu', 'ts', 'status/404'],
  ['geo', 'ts', 'status/403'],
  ['sem_resposta', 'flv', 'broken'],
  ['codec', 'ts', 'junk'],
  ['cors', 'ts', 'closedts'],
  ['sumiu', 'audio', 'status/404'],
  ['geo', 'audio', 'status/403'],
  ['sem_resposta', 'audio', 'broken'],
  ['codec', 'audio', 'junk'],
  ['sumiu', 'dash', 'status/404'],
  ['playlist', 'dash', 'junk'],
  ['protocolo', 'externo', 'live/good']
]

flow('each failure has its code', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  for (const [code, kind, path, ours = false] of failures) {
    await play(page, [stream('s', kind, origin.url(path))])
    const events = await told(page, 'failed')
    assert.deepEqual(details(events, 'failed'), [{ code, ours, spent: false }], `${kind} ${path}`)
    assert.deepEqual(details(events, 'fallback'), kind === 'externo' ? [] : [{ from: 's', code, to: null }], `${kind} ${path}`)
    assert.ok(!names(events).includes('played'), `${kind} ${path}`)
    assert.deepEqual(await page.evaluate(() => [window.player.state, [...window.player.failures]]), ['failed', [['s', code]]])
  }
  await play(page, [])
  assert.deepEqual(details(await told(page, 'failed'), 'failed'), [{ code: 'sem_stream', ours: false, spent: false }])
})

flow('an origin that never answers is given up in seconds', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  await play(page, [stream('s', 'hls', origin.url('hang'))])
  assert.deepEqual(details(await told(page, 'failed'), 'failed'), [{ code: 'sem_resposta', ours: false, spent: false }])
  assert.equal(origin.asked.filter(url => url === '/hang').length, 1)
})

flow('minutes that are over tell nothing of a channel', {}, async (visit, stack) => {
  meant(visit)
  await stand(visit)
  await play(visit.page, [stream('s', 'hls', origin.url('hop/402/free_minutes_spent'))])
  assert.deepEqual(details(await told(visit.page, 'failed'), 'failed'), [{ code: 'outro', ours: true, spent: true }])
})

flow('a player that cannot be loaded tells nothing of a channel', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/engine-mpegts/)
  await context.route(/engine-mpegts/, route => route.fulfill({ status: 404, body: '' }))
  await stand(visit)
  await play(page, [stream('s', 'ts', origin.url('ts'))])
  assert.deepEqual(details(await told(page, 'failed'), 'failed'), [{ code: 'outro', ours: true, spent: false }])
  const [first] = await testStreams(stack)
  await play(page, [stream('s', 'ts', origin.url('ts')), first])
  assert.deepEqual(details(await told(page, 'played'), 'played'), [first.id])
})

flow('what scripts may not read plays by the browser itself', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  await play(page, [stream('s', 'hls', hop.url('live/closed'), { provider_url: origin.url('live/closed') })])
  const events = await told(page, 'played')
  assert.deepEqual(details(events, 'fallback'), [], 'it is the same stream')
})

flow('and where the browser reads no playlists, people are told', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await visit.context.addInitScript(() => {
    const can = HTMLMediaElement.prototype.canPlayType
    HTMLMediaElement.prototype.canPlayType = function (type) { return /mpegurl/i.test(type) ? '' : can.call(this, type) }
  })
  await stand(visit)
  await play(page, [stream('s', 'hls', hop.url('live/closed'), { provider_url: origin.url('live/closed') })])
  assert.deepEqual(details(await told(page, 'failed'), 'failed'), [{ code: 'cors', ours: false, spent: false }])
})

flow('a browser that takes no media from scripts plays by itself', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await visit.context.addInitScript(() => { delete window.MediaSource; delete window.ManagedMediaSource })
  await stand(visit)
  const [first] = await testStreams(stack)
  await play(page, [stream('ts', 'ts', origin.url('ts')), first])
  const events = await told(page, 'played')
  assert.deepEqual(details(events, 'played'), [first.id])
  assert.deepEqual(await page.evaluate(() => [...window.player.failures]), [['ts', 'codec']])
  for (const [code, path] of [['geo', 'hop/422/playlist_acesso/403'], ['sumiu', 'hop/404/stream_not_found'], ['sem_resposta', 'broken']]) {
    await play(page, [stream('s', 'hls', origin.url(path))])
    assert.deepEqual(details(await told(page, 'failed'), 'failed'), [{ code, ours: false, spent: false }], path)
  }
})

flow('a stream fails, the next plays; one that was chosen stays', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  const [first] = await testStreams(stack)
  const streams = [
    stream('rtmp', 'externo', origin.url('x')), stream('gone', 'hls', origin.url('hop/404/stream_not_found')), stream('far', 'ts', origin.url('status/403')), first
  ]
  await play(page, streams)
  const events = await told(page, 'played')
  assert.deepEqual(details(events, 'fallback'), [{ from: 'gone', code: 'sumiu', to: 'far' }, { from: 'far', code: 'geo', to: first.id }])
  assert.deepEqual(details(events, 'failed'), [])
  assert.deepEqual(await page.evaluate(() => [...window.player.failures]), [['rtmp', 'protocolo'], ['gone', 'sumiu'], ['far', 'geo']])

  await page.evaluate(streams => { window.events.length = 0; window.player.choose(streams[1]) }, streams)
  await state(page, 'failed')
  const chosen = await page.evaluate(() => window.events)
  assert.deepEqual(details(chosen, 'fallback'), [{ from: 'gone', code: 'sumiu', to: null }])
  assert.deepEqual(details(chosen, 'failed'), [], 'another stream of the channel plays')
  await page.evaluate(streams => window.player.choose(streams[3]), streams)
  await state(page, 'playing')
})

flow('all streams fail: the code is the one that tells most', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  await play(page, [stream('a', 'hls', origin.url('hop/400/bad')), stream('b', 'hls', origin.url('hop/422/playlist_acesso/403')), stream('c', 'ts', origin.url('status/404'))])
  const events = await told(page, 'failed')
  assert.deepEqual(details(events, 'failed'), [{ code: 'geo', ours: false, spent: false }])
  assert.deepEqual(details(events, 'fallback').map(({ to }) => to), ['b', 'c', null])

  // Asked again, it tries again, and tells nothing twice.
  await page.evaluate(() => { window.events.length = 0; void window.player.play() })
  await page.waitForFunction(() => {
    const states = window.events.filter(({ name }) => name === 'state').map(({ detail }) => detail)
    return states.includes('connecting') && states.at(-1) === 'failed'
  })
  assert.deepEqual(details(await page.evaluate(() => window.events), 'failed'), [])
})

flow('media that stands still is tried once more, and then the next stream', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  const [first] = await testStreams(stack)
  await play(page, [stream('s', 'hls', origin.url('live/good')), first])
  await told(page, 'played')
  origin.still = true
  try {
    const events = await told(page, 'fallback', 120_000)
    assert.deepEqual(details(events, 'fallback'), [{ from: 's', code: 'sem_resposta', to: first.id }])
    assert.ok(details(events, 'state').includes('waiting'))
    await page.waitForFunction(id => window.player.state === 'playing' && window.player.stream.id === id, first.id, { timeout: 60_000 })
  } finally {
    origin.still = false
  }
})

flow('without a network it waits, and goes on when there is one', {}, async (visit, stack) => {
  const { context, page } = visit
  meant(visit)
  visit.forgive(/ERR_INTERNET_DISCONNECTED/)
  await stand(visit)
  const [first] = await testStreams(stack)
  await play(page, [first])
  await told(page, 'played')
  await page.evaluate(() => window.player.stop())
  await context.setOffline(true)
  await play(page, [first])
  await state(page, 'waiting')
  await context.setOffline(false)
  const events = await told(page, 'played')
  assert.deepEqual([details(events, 'fallback'), details(events, 'failed')], [[], []])
})

flow('a page that may not play by itself waits for a press', {}, async (visit, stack) => {
  const { page } = visit
  const streams = await testStreams(stack)
  await visit.context.addInitScript(() => { // as browsers are that nobody told to let pages play
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
      return window.pressed ? play.call(this) : Promise.reject(new DOMException('', 'NotAllowedError'))
    }
  })
  await stand(visit, { id: 'Stand', name: 'Stand </script>', kind: 'tv', streams })
  await state(page, 'ready')
  assert.deepEqual(details(await page.evaluate(() => window.events), 'fallback'), [])
  await page.evaluate(() => { window.pressed = true; void window.player.play() })
  await told(page, 'played')
})

flow('one pauses, and goes on; what is paused for long rests', {}, async (visit, stack) => {
  const { page } = visit
  await page.clock.install()
  await stand(visit)
  const [first] = await testStreams(stack)
  await play(page, [first])
  await page.waitForFunction(() => window.player.media.currentTime > 1, undefined, { polling: 'raf' })
  await page.evaluate(() => window.player.pause())
  await state(page, 'paused')
  await page.evaluate(() => void window.player.play())
  await state(page, 'playing')
  await page.evaluate(() => window.player.pause())
  await state(page, 'paused')
  const at = await page.evaluate(() => window.player.media.currentTime)
  await page.clock.fastForward(40_000)
  let asked = 0
  page.on('request', () => asked++)
  await page.clock.fastForward(60_000)
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  assert.equal(asked, 0, 'nothing is loaded for nobody')
  await page.evaluate(() => void window.player.play())
  await state(page, 'playing')
  assert.ok(await page.evaluate(() => window.player.media.currentTime) >= at)
})

flow('qualities can be chosen', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  await play(page, [stream('s', 'hls', origin.url('two'))])
  await told(page, 'played')
  assert.deepEqual(await page.evaluate(() => [window.player.qualities(), window.player.quality]), [[{ id: 1, label: '360p' }, { id: 0, label: '180p' }], -1])
  await page.evaluate(() => window.player.setQuality(0))
  assert.equal(await page.evaluate(() => window.player.quality), 0)
  await page.evaluate(() => window.player.setQuality(-1))
  assert.equal(await page.evaluate(() => window.player.quality), -1)
  assert.deepEqual(await page.evaluate(() => [window.player.captions(), window.player.audios(), window.player.caption]), [[], [], -1])
})

flow('captions and sounds can be chosen', {}, async (visit) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  await play(page, [stream('s', 'hls', origin.url('tracks'))])
  await told(page, 'played')
  const chosen = () => page.evaluate(() => [window.player.caption, window.player.audio, [...window.player.media.textTracks].map(({ label, mode }) => `${label} ${mode}`)])
  assert.deepEqual(await page.evaluate(() => [window.player.captions(), window.player.audios()]), [
    [{ id: 0, label: 'Português' }, { id: 1, label: '<b>English</b>' }], [{ id: 0, label: 'Som' }, { id: 1, label: 'Descrição' }]
  ])
  assert.deepEqual(await chosen(), [-1, 0, ['Português disabled', '<b>English</b> disabled']], 'none is shown that nobody asked for')
  await page.evaluate(() => { window.player.setCaption(1); window.player.setAudio(1) })
  assert.deepEqual(await chosen(), [1, 1, ['Português disabled', '<b>English</b> showing']])
  await page.evaluate(() => window.player.setCaption(-1))
  assert.deepEqual((await chosen())[2], ['Português disabled', '<b>English</b> disabled'])
})

const clipped = canClip ? flow : test.skip
clipped('FLV and DASH play', {}, async (visit) => {
  const { page } = visit
  await origin.clip()
  await stand(visit)
  for (const [kind, path] of [['flv', 'clip/clip.flv'], ['dash', 'clip/clip.mpd']]) {
    await play(page, [stream(kind, kind, origin.url(path))])
    assert.deepEqual(details(await told(page, 'played'), 'played'), [kind])
  }
})

/** Speaks as the frame of the video platform does. */
const platform = `<!DOCTYPE html><script>
  let time = 0
  const tell = message => parent.postMessage(JSON.stringify(message), '*')
  addEventListener('message', ({ data }) => {
    const { event, func } = JSON.parse(data)
    if (event === 'listening') tell({ event: 'initialDelivery', info: { playerState: -1 } })
    if (func === 'addEventListener' && location.search.includes('autoplay=1')) begin()
    if (func === 'pauseVideo') { clearInterval(window.timer); window.timer = 0; tell({ event: 'onStateChange', info: 2 }) }
    if (func === 'playVideo') begin()
  })
  function begin() {
    if (location.pathname.endsWith('/gone00000000')) return tell({ event: 'onError', info: 150 })
    window.timer ||= setInterval(() => tell({ event: 'infoDelivery', info: { playerState: 1, currentTime: time += 0.25 } }), 250)
  }
</script>`

const live = (id, video) => stream(id, 'youtube', 'https://www.youtube.com/x', {
  provider_url: 'https://www.youtube.com/x', scheme: 'youtube',
  youtube: { video, embed: `https://www.youtube-nocookie.com/embed/${video}`, assistir: 'https://www.youtube.com/x' }
})

flow('lives of the video platform play in its frame', {}, async (visit, stack) => {
  const { context, page } = visit
  await context.route('https://www.youtube-nocookie.com/**', route => route.fulfill({ contentType: 'text/html', body: platform }))
  const base = await stand(visit)
  await play(page, [live('gone', 'gone00000000'), live('live', 'live00000000')])
  const events = await told(page, 'played')
  assert.deepEqual(details(events, 'fallback'), [{ from: 'gone', code: 'protocolo', to: 'live' }])
  assert.deepEqual(details(events, 'played'), ['live'])
  const frame = page.locator('#stage iframe')
  const url = new URL(await frame.getAttribute('src'))
  assert.equal(url.origin + url.pathname, 'https://www.youtube-nocookie.com/embed/live00000000')
  assert.equal(url.searchParams.get('origin'), base)
  assert.equal(await frame.getAttribute('title'), 'Stand')
  assert.equal(await page.locator('#stage video').isVisible(), false)
  await page.evaluate(() => window.player.pause())
  await state(page, 'paused')
  await page.evaluate(() => void window.player.play())
  await state(page, 'playing')

  // A message of anyone else is not heard, and what the frame took the place of comes back.
  await page.evaluate(() => new Promise(resolve => {
    window.addEventListener('message', ({ source }) => { if (source === window) resolve() })
    window.postMessage(JSON.stringify({ event: 'onError', info: 150 }), '*')
  }))
  assert.deepEqual(await page.evaluate(() => [window.player.state, window.player.stream.id]), ['playing', 'live'])
  const [first] = await testStreams(stack)
  await page.evaluate(first => window.player.choose(first), first)
  await state(page, 'playing')
  assert.equal(await frame.count(), 0)
  assert.equal(await page.locator('#stage video').isVisible(), true)
})

flow('one zaps faster than anything loads', {}, async (visit, stack) => {
  const { page } = visit
  meant(visit)
  await stand(visit)
  const [first] = await testStreams(stack)
  await page.evaluate(([good, bad]) => {
    for (let i = 0; i < 20; i++) {
      window.player.load({ id: `c${i}`, name: `${i}`, kind: 'tv', streams: [bad[i % bad.length]] })
      void window.player.play()
    }
    window.events.length = 0
    window.player.load({ id: 'last', name: 'last', kind: 'tv', streams: [good] })
    void window.player.play()
  }, [first, [stream('a', 'ts', origin.url('status/404')), stream('b', 'hls', origin.url('hop/404/x')), stream('c', 'audio', origin.url('junk')), stream('d', 'dash', origin.url('junk'))]])
  const events = await told(page, 'played')
  assert.deepEqual([details(events, 'fallback'), details(events, 'failed'), details(events, 'played')], [[], [], [first.id]])
  await until(() => page.evaluate(() => document.querySelectorAll('#stage > *').length === 1), 'the stage holds one player')
})
