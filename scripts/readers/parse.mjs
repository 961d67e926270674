// Reads a list in M3U and writes what the parser of iptv-org makes of it, as
// JSON.
import { readFileSync } from 'node:fs'
import parser from 'iptv-playlist-parser'

const list = parser.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify({
  guide: list.header.attrs['x-tvg-url'] ?? '',
  other: list.header.attrs['url-tvg'] ?? '',
  entries: list.items.map(item => ({
    id: item.tvg.id,
    name: item.name,
    tvgName: item.tvg.name,
    group: item.group.title,
    url: item.url,
    referrer: item.http.referrer,
    agent: item.http['user-agent'],
    raw: item.raw
  }))
}))
