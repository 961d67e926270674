/** Which code a failure has, of all that engines and the hop tell; and whether media goes on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { module, stream } from './stand.mjs'

const page = { secure: false, mse: true }
const secure = { secure: true, mse: true }

test('streams that cannot play here', async () => {
  const { barred } = await module('failure')
  for (const [kind, url, place, want, more] of [
    ['hls', 'https://example.org/a', secure, null],
    ['hls', 'http://example.org/a', secure, 'protocolo'],
    ['hls', 'http://example.org/a', page, null],
    ['audio', 'http://example.org/a', secure, 'protocolo'],
    ['ts', 'https://example.org/a', { ...secure, mse: false }, 'codec'],
    ['dash', 'https://example.org/a', { ...secure, mse: false }, 'codec'],
    ['hls', 'https://example.org/a', { ...secure, mse: false }, null],
    ['externo', 'https://example.org/a', page, 'protocolo'],
    ['hls', 'https://example.org/a', page, 'protocolo', { provider_url: null }],
    ['youtube', 'https://example.org/a', secure, 'protocolo'],
    ['youtube', 'https://example.org/a', secure, null, { youtube: {}, scheme: 'youtube' }]
  ]) assert.equal(barred(stream('s', kind, url, more), place), want, `${kind} ${url} ${JSON.stringify(more)}`)
})

test('answers of the hop', async () => {
  const { isSpent, ofHop } = await module('failure')
  for (const [status, error, upstream, want] of [
    [404, 'stream_not_found', 0, 'sumiu'],
    [404, 'ticket_invalid', 0, 'sumiu'],
    [410, undefined, 0, 'sumiu'],
    [422, 'playlist_acesso', 403, 'geo'],
    [502, 'playlist_acesso', 401, 'geo'],
    [422, 'playlist_origem', 404, 'sumiu'],
    [422, 'playlist_origem', 410, 'sumiu'],
    [422, 'playlist_origem', 500, 'sem_resposta'],
    [422, 'playlist_origem', 200, 'playlist'],
    [502, 'playlist_origem', undefined, 'playlist'],
    [422, 'playlist_limite', 200, 'playlist'],
    [422, undefined, 0, 'playlist'],
    [502, undefined, 0, 'sem_resposta'],
    [503, 'playlist_indisponivel', 0, 'sem_resposta'],
    [503, 'playlist_config', 0, 'sem_resposta'],
    [429, undefined, 0, 'sem_resposta'],
    [402, 'free_minutes_spent', 0, 'outro'],
    [400, undefined, 0, 'outro'],
    [0, undefined, 0, 'sem_resposta']
  ]) {
    assert.equal(ofHop({ status, error, upstream }), want, `${status} ${error} ${upstream}`)
    assert.equal(isSpent({ status, error }), status === 402)
  }
})

test('errors of hls.js', async () => {
  const { ofHls } = await module('failure')
  const media = 'https://example.org/1.ts'
  for (const [type, details, hop, status, want, url = media, place = page] of [
    ['networkError', 'manifestLoadError', true, 404, 'sumiu'],
    ['networkError', 'levelLoadError', true, 503, 'sem_resposta'],
    ['networkError', 'manifestLoadTimeOut', true, 0, 'sem_resposta'],
    ['networkError', 'fragLoadTimeOut', false, 0, 'sem_resposta'],
    ['networkError', 'fragLoadError', false, 403, 'geo'],
    ['networkError', 'fragLoadError', false, 451, 'geo'],
    ['networkError', 'fragLoadError', false, 404, 'sumiu'],
    ['networkError', 'fragLoadError', false, 500, 'sem_resposta'],
    ['networkError', 'fragLoadError', false, 0, null],
    ['networkError', 'keyLoadError', false, 401, 'geo'],
    ['networkError', 'fragLoadError', false, 0, 'protocolo', 'http://example.org/1.ts', secure],
    ['networkError', 'fragLoadError', false, 0, null, 'http://example.org/1.ts', page],
    ['networkError', 'manifestParsingError', true, 200, 'playlist'],
    ['networkError', 'levelParsingError', true, 200, 'playlist'],
    ['mediaError', 'levelEmptyError', true, 0, 'playlist'],
    ['mediaError', 'manifestIncompatibleCodecsError', true, 0, 'codec'],
    ['mediaError', 'bufferAppendError', false, 0, 'codec'],
    ['mediaError', 'bufferAddCodecError', false, 0, 'codec'],
    ['mediaError', 'fragParsingError', false, 0, 'codec'],
    ['mediaError', 'bufferStalledError', false, 0, 'sem_resposta'],
    ['muxError', 'remuxAllocError', false, 0, 'codec'],
    ['keySystemError', 'keySystemNoAccess', false, 0, 'codec'],
    ['otherError', 'internalException', false, 0, 'outro']
  ]) assert.equal(ofHls({ type, details, hop, status, url }, place), want, `${type} ${details} ${status}`)
})

test('errors of the other engines', async () => {
  const { ofDash, ofMedia, ofMpegts, ofStatus, ofYouTube } = await module('failure')
  assert.deepEqual([200, 301, 401, 403, 404, 410, 416, 451, 500, 503].map(ofStatus),
    [null, null, 'geo', 'geo', 'sumiu', 'sumiu', 'sem_resposta', 'geo', 'sem_resposta', 'sem_resposta'])
  assert.equal(ofMpegts('NetworkError', 'HttpStatusCodeInvalid', 403), 'geo')
  assert.equal(ofMpegts('NetworkError', 'HttpStatusCodeInvalid', 404), 'sumiu')
  assert.equal(ofMpegts('NetworkError', 'ConnectingTimeout', 0), 'sem_resposta')
  assert.equal(ofMpegts('NetworkError', 'Exception', 0), null)
  assert.equal(ofMpegts('MediaError', 'CodecUnsupported', 0), 'codec')
  assert.equal(ofMpegts('OtherError', '', 0), 'outro')
  assert.deepEqual([[10, 200], [11, 404], [25, 403], [27, 0], [28, 500], [31, 0], [32, 0], [20, 0], [35, 0], [112, 0], [16, 0]].map(([code, status]) => ofDash(code, status)),
    ['playlist', 'sumiu', 'geo', null, 'sem_resposta', 'playlist', 'codec', 'codec', 'codec', 'codec', 'outro'])
  assert.deepEqual([1, 2, 3, 4, undefined].map(ofMedia), ['outro', 'sem_resposta', 'codec', null, 'outro'])
  assert.deepEqual([2, 5, 100, 101, 150, 153, 7].map(ofYouTube), ['sumiu', 'codec', 'sumiu', 'protocolo', 'protocolo', 'protocolo', 'outro'])
})

test('the code of a channel is that of its best stream, or one that tells more', async () => {
  const { telling } = await module('failure')
  for (const [codes, want] of [
    [[], 'sem_stream'], [['outro'], 'outro'], [['sumiu', 'geo'], 'sumiu'], [['outro', 'geo'], 'geo'],
    [['protocolo', 'sumiu'], 'sumiu'], [['outro', 'protocolo'], 'protocolo'], [['protocolo', 'outro'], 'protocolo']
  ]) assert.equal(telling(codes), want, codes.join())
})

test('what moves is told from what stands still', async () => {
  const { Watch } = await module('watch')
  let time = 0
  let expected = true
  const log = []
  const watch = new Watch({ time: () => time, expected: () => expected, moved: n => log.push(`moved ${n}`), still: n => log.push(`still ${n}`) })
  const look = (now, at) => {
    time = at
    watch.look(now)
    return log.splice(0).join()
  }
  watch.start(0)
  watch.stop()
  assert.equal(look(500, 0.5), 'moved 0.5')
  assert.equal(look(1000, 1), 'moved 1')
  assert.equal(look(1500, 1), 'still 0.5')
  assert.equal(look(2000, 1), 'still 1')
  assert.equal(look(2500, 1.5), 'moved 1.5')
  assert.equal(look(3000, 1.5), 'still 0.5', 'what was lost before it moved is forgiven')
  assert.equal(look(3500, 1.5625), 'moved 1.5625')
  assert.equal(look(4000, 1.5625), 'still 0.75', 'but a nudge does not make it go on')
  assert.equal(look(4500, 90), '', 'one sought ahead: nothing was shown of it')
  assert.equal(look(5000, 30), '', 'or back')
  assert.equal(look(5500, 30), 'still 1.25')
  expected = false
  assert.equal(look(6000, 30), '', 'nobody expects it to move')
  expected = true
  assert.equal(look(9_000_000, 30), 'still 3.25', 'a laptop slept: that is no stream that stands still')
  watch.forgive()
  assert.equal(look(9_000_500, 30), 'still 0.5')
})
