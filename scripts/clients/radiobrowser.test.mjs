/** Uses the paths of radio-browser with client libraries of radio-browser, as programs do: with the address changed and nothing else. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { build, start } from '../pages/stack.mjs'

const require = createRequire(import.meta.url)
const { RadioBrowserApi } = require('radio-browser-api')
const radioBrowser = require('radio-browser')

const names = list => list.map(({ name }) => name).sort()

let stack

before(async () => {
  await build()
  stack = await start({ jobs: false })
})

after(() => stack?.stop())

describe('radio-browser-api, which asks by GET', () => {
  let api
  before(() => {
    api = new RadioBrowserApi('miramundo-test/1')
    api.setBaseUrl(new URL(stack.base).origin)
  })

  test('finds stations by each value, and reads every field', async () => {
    const [station] = await api.getStationsBy('byTagExact', 'classical', { order: 'name', limit: 1, reverse: true })
    assert.ok(station.tags.includes('classical'))
    assert.match(station.id, /^[0-9a-f-]{36}$/)
    for (const at of [station.lastChangeTime, station.lastCheckTime, station.lastCheckOkTime]) assert.ok(Number.isFinite(at.getTime()))
    assert.deepEqual([typeof station.votes, typeof station.bitrate, station.hls], ['number', 'number', station.url.endsWith('.m3u8')])
    const spoken = await api.getStationsBy('byLanguageExact', 'portuguese')
    assert.ok(names(spoken).includes('Antena 1') && spoken.every(({ language }) => language.includes('portuguese')))
    assert.ok((await api.getStationsBy('byCountryCodeExact', 'PT')).every(({ countryCode }) => countryCode === 'PT'))
  })

  test('searches with filters, by ids and by addresses', async () => {
    const found = await api.searchStations({ countryCode: 'PT', tagList: ['public radio', 'classical'], hasGeoInfo: true, limit: 10, offset: 0 })
    assert.deepEqual(names(found), ['Antena 2'])
    assert.deepEqual(names(await api.getStationsById(found.map(({ id }) => id))), ['Antena 2'])
    assert.deepEqual(names(await api.getStationByUrl(found[0].urlResolved)), ['Antena 2'])
    assert.equal((await api.getStationsByVotes(3)).length, 3)
    assert.equal((await api.getStationsByClicks(2)).length, 2)
  })

  test('lists the values of stations', async () => {
    const countries = await api.getCountries('', { order: 'stationcount', reverse: true })
    assert.ok(countries.length > 5 && countries[0].stationcount >= countries[1].stationcount)
    assert.deepEqual((await api.getCountryCodes('pt')).map(({ name }) => name), ['PT'])
    assert.ok((await api.getLanguages('german')).some(({ name }) => name === 'german'))
    assert.ok((await api.getTags('public')).some(({ name, stationcount }) => name === 'public radio' && stationcount > 3))
    assert.ok((await api.getCodecs()).length > 0)
  })

  test('gets the address of a station, where the hop answers', async () => {
    const [station] = await api.searchStations({ name: 'antena 1', countryCode: 'PT' })
    const clicked = await api.sendStationClick(station.id)
    assert.deepEqual([clicked.ok, clicked.stationuuid, clicked.url], [true, station.id, station.url])
    assert.ok(clicked.url.startsWith(stack.hop))
    await assert.rejects(api.sendStationClick('00000000-0000-4000-8000-00000000ffff'), answer => answer.status === 404)
  })
})

describe('radio-browser, which asks by POST', () => {
  before(() => { radioBrowser.service_url = new URL(stack.base).origin })

  test('finds, lists and clicks', async () => {
    const found = await radioBrowser.getStations({ by: 'tag', searchterm: 'classical', order: 'name', limit: 5, offset: 0 })
    assert.ok(found.length > 1 && found.every(({ tags }) => tags.includes('classical')))
    const [station] = await radioBrowser.searchStations({ name: 'deutschlandfunk', countrycode: 'DE', limit: 1 })
    assert.equal(station.name, 'Deutschlandfunk')
    assert.equal((await radioBrowser.getStations({ by: 'topvote', limit: 2 })).length, 2)
    assert.equal((await radioBrowser.clickStation(station.stationuuid)).ok, true)
    assert.equal((await radioBrowser.getServerStats()).status, 'OK')
    assert.deepEqual((await radioBrowser.getServerMirrors()).map(({ name }) => name), [new URL(stack.base).host])
    assert.ok((await radioBrowser.getCategory('countries', { searchterm: 'portu' })).some(({ name }) => name === 'Portugal'))
  })
})
