/** Connects other programs as their pages say: Kodi itself, and what Jellyfin and Home Assistant do, which cannot be installed here. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { build, root, start as startStack } from '../pages/stack.mjs'
import { channelsOf, forFFmpeg, guideOf } from './jellyfin.mjs'
import { addon, lacks, namesOf, start, until } from './kodi.mjs'
import { settingsOf, testChannel, textsOf } from './page.mjs'

let stack

before(async () => {
  await build()
  stack = await startStack()
})

after(() => stack?.stop())

const page = path => new URL(path, stack.base)
const json = async path => (await fetch(page(path))).json()

/** Returns what is streamed at an address, as FFmpeg sees it. */
async function streamsAt(url) {
  const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_type', '-of', 'csv=p=0', url], { timeout: 60_000 })
  return [...new Set(stdout.split(/\s+/).filter(Boolean))].sort()
}

const missing = lacks()
if (missing && process.env.CI) throw new Error(missing)

describe('Kodi, configured as its page says', { skip: missing }, () => {
  /** The page in each language, and the language of Kodi. */
  const pages = { '/como-usar/kodi': 'pt_br', '/en/how-to/kodi': 'en_gb', '/es/como-usar/kodi': 'es_es', '/fr/mode-emploi/kodi': 'fr_fr', '/de/anleitung/kodi': 'de_de' }
  let kodi, listed

  before(async () => {
    const [settings] = await settingsOf(page('/como-usar/kodi'))
    listed = channelsOf(await (await fetch(settings.m3uUrl.value)).text())
    kodi = await start(Object.fromEntries(Object.entries(settings).map(([id, { value }]) => [id, value])))
    await kodi.call('Addons.SetAddonEnabled', { addonid: addon, enabled: true })
  })

  after(() => kodi?.stop())

  for (const [path, language] of Object.entries(pages)) {
    test(`names the settings as the page does in ${language}`, async () => {
      const [settings] = await settingsOf(page(path))
      assert.equal(Object.keys(settings).length, 4)
      for (const [id, { label, value, shown }] of Object.entries(settings)) {
        const names = namesOf(id, value, language)
        assert.deepEqual([label, shown], [names.label, names.value ?? value])
      }
    })
  }

  test('lists the channels of the page, with their numbers and groups', async () => {
    assert.ok(listed.length > 3)
    const { channels } = await until(async () => {
      const answer = await kodi.call('PVR.GetChannels', { channelgroupid: 'alltv', properties: ['channelnumber'] })
      return answer.limits.total > 0 && answer
    })
    assert.deepEqual(channels.map(({ channelnumber, label }) => [channelnumber, label]), listed.map(({ number, name }) => [Number(number), name]))
    const { channelgroups } = await kodi.call('PVR.GetChannelGroups', { channeltype: 'tv' })
    const groups = new Set(channelgroups.map(({ label }) => label))
    for (const { group } of listed) assert.ok(groups.has(group), `no group ${group} among ${[...groups]}`)
  })

  test('shows the programme guide, and plays a channel', async () => {
    const { name } = await json(`/api/channels/${testChannel}`)
    const { channels } = await kodi.call('PVR.GetChannels', { channelgroupid: 'alltv' })
    const { channelid } = channels.find(({ label }) => label === name)
    const { programas: today } = await json(`/api/channels/${testChannel}/guia`)
    assert.ok(today.length > 3)
    await until(async () => {
      const { broadcasts = [] } = await kodi.call('PVR.GetBroadcasts', { channelid, properties: ['starttime'] })
      const shown = broadcasts.map(({ label, starttime }) => `${starttime.replace(' ', 'T')}Z ${label}`)
      return today.every(({ inicio, titulo }) => shown.includes(`${inicio} ${titulo}`))
    })

    await kodi.call('Player.Open', { item: { channelid } })
    const playerid = await until(async () => (await kodi.call('Player.GetActivePlayers'))[0]?.playerid)
    const playing = () => kodi.call('Player.GetProperties', { playerid, properties: ['currentvideostream', 'time'] })
    const begun = await until(async () => {
      const { currentvideostream: video, time } = await playing()
      return video?.width > 0 && JSON.stringify(time)
    })
    await until(async () => JSON.stringify((await playing()).time) !== begun)
    assert.equal((await kodi.call('Player.GetItem', { playerid, properties: ['channel'] })).item.channel, name)
    await kodi.call('Player.Stop', { playerid })
  })
})

describe('what Jellyfin does with the settings of its page', () => {
  let channels, guide

  before(async () => {
    const [tuner, provider] = await settingsOf(page('/como-usar/jellyfin'))
    assert.deepEqual([tuner.Type.value, tuner.TunerCount.value, provider.Type.value], ['m3u', '0', 'xmltv'])
    const response = await fetch(tuner.Url.value)
    assert.equal(response.status, 200)
    channels = channelsOf(await response.text())
    guide = await guideOf(provider.Path.value)
  })

  test('reads names, numbers, groups and logos', async () => {
    const { items } = await json('/api/channels?country=BR&limit=50')
    assert.deepEqual(channels.map(({ name }) => name).sort(), items.map(({ name }) => name).sort())
    assert.deepEqual(channels.map(({ number }) => number), channels.map((_, i) => String(i + 1)))
    assert.ok(channels.every(({ group }) => group))
    assert.match(channels.find(({ guideID }) => guideID.startsWith(testChannel)).logo, /^http/)
    assert.equal(new Set(channels.map(({ url }) => url)).size, channels.length) // by which it identifies them
  })

  test('finds the programmes of a channel by its id in the list', () => {
    const { guideID } = channels.find(({ guideID }) => guideID.startsWith(testChannel))
    assert.ok(guide.includes(`<channel id="${guideID}">`))
    assert.ok(guide.split(`channel="${guideID}"`).length > 3)
  })

  test('gives the stream to FFmpeg, which plays it', async () => {
    const { url } = channels.find(({ guideID }) => guideID.startsWith(testChannel))
    const head = await fetch(url, { method: 'HEAD' })
    assert.ok(head.ok)
    assert.ok(forFFmpeg.includes(head.headers.get('Content-Type').split(';')[0].toLowerCase()))
    assert.deepEqual(await streamsAt(url), ['audio', 'video'])
  })
})

describe('what Home Assistant does with the texts of its page', () => {
  let came

  before(async () => {
    const read = spawnSync('python3', [join(root, 'scripts/clients/homeassistant.py')], { input: JSON.stringify(await textsOf(page('/en/how-to/home-assistant'))), encoding: 'utf8', timeout: 60_000 })
    assert.equal(read.status, 0, read.stderr)
    came = JSON.parse(read.stdout)
  })

  test('plays a station on a device', async () => {
    const { alias, action, entity_id: device, media_content_id: url, media_content_type: kind } = came.play
    assert.deepEqual([action, device, kind], ['media_player.play_media', 'media_player.kitchen', 'music'])
    const { items: [station] } = await json('/api/channels?kind=radio&sort=popular&limit=1')
    assert.equal(alias, station.name)
    assert.deepEqual(await streamsAt(url), ['audio'])
  })

  test('shows the title of the current programme', async () => {
    const { agora: now } = await json(`/api/channels/${testChannel}/guia`)
    const { name } = await json(`/api/channels/${testChannel}`)
    assert.deepEqual(came.now, { name, state: now.titulo })
  })

  test('frames the player of a channel', async () => {
    assert.deepEqual([came.card.type, came.card.aspect_ratio], ['iframe', '16:9'])
    const response = await fetch(came.card.url)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('Content-Security-Policy'), /frame-ancestors \*/)
    assert.equal(response.headers.get('X-Frame-Options'), null)
  })

  test('lists the tools of the MCP server', async () => {
    const call = body => fetch(came.search, { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) })
    const begun = await call({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'mcp', version: '0.1.0' } } })
    assert.equal(begun.status, 200)
    const listed = await (await call({ method: 'tools/list' })).text()
    assert.match(listed, /"name":"search_channels"/)
  })
})
