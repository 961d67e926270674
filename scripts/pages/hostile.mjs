/** A catalog whose names are meant to break pages, and people's words of the same kind. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './stack.mjs'

/** Names that would do something if a page took them for more than text. */
export const names = [
  '<script>window.pwned=1</script>',
  '"><img src=x onerror=window.pwned=1>',
  '\'"`{{.}}${1}&lt;b&gt;',
  '</title></script><!--]]>',
  'javascript:window.pwned=1',
  '\u202Eمرحبا بالعالم\u202C שלום',
  '👩‍👩‍👧‍👦🏳️‍🌈 📺',
  'W'.repeat(500),
  'لا'.repeat(250)
]

/** Words of a person, within what folders and authors may have: they are short, and turn no text around. */
export const words = names.map(name => [...name.replace(/[\u202A-\u202E]/g, '')].slice(0, 24).join(''))

/** The ids of channels with these names. */
export const ids = names.map((_, n) => `Hostile${n}.br`)

const from = join(root, 'functions', 'testdata', 'catalog')
const tables = ['categories', 'cities', 'countries', 'languages', 'regions', 'subdivisions', 'timezones', 'logos', 'guides', 'blocklist']

/** Writes the catalog into a folder, and returns it with what removes it. */
export async function catalog() {
  const folder = await mkdtemp(join(tmpdir(), 'miramundo-hostile-'))
  const put = (name, rows) => writeFile(join(folder, `${name}.json`), JSON.stringify(rows))
  const take = async name => JSON.parse(await readFile(join(from, `${name}.json`), 'utf8'))
  for (const name of tables) await put(name, await take(name))
  await put('categories', [...await take('categories'), { id: 'hostile', name: names[0], description: names[1] }])
  await put('channels', names.map((name, n) => ({
    id: ids[n], name, alt_names: names, network: name, owners: [name, names[0]], country: 'BR', categories: ['general', 'hostile'], is_nsfw: false,
    launched: null, closed: null, replaced_by: null, website: n % 2 ? 'javascript:window.pwned=1' : `https://a.example/"><script>window.pwned=1</script>`
  })))
  await put('feeds', names.map((name, n) => ({
    channel: ids[n], id: 'SD', name, alt_names: names, is_main: true, broadcast_area: ['c/BR'], timezones: [], languages: ['por'], format: '720p'
  })))
  await put('streams', names.map((name, n) => ({
    channel: ids[n], feed: 'SD', title: name, url: `https://origin.example/${n}/"><script>window.pwned=1<%2Fscript>.m3u8`, referrer: null, user_agent: null,
    quality: '720p', labels: [name]
  })))
  const [station] = await take('stations')
  await put('stations', names.map((name, n) => ({
    ...station, stationuuid: `00000000-0000-4000-8000-00000000010${n}`, name, tags: `${name.replaceAll(',', ' ')},pop`, url: `https://radio.example/${n}`, countrycode: 'BR'
  })))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
