/** Reads lists and guides by the rules of Jellyfin 10.10: those of its M3uParser, M3UTunerHost and XmlTvListingsProvider. */
import { gunzipSync } from 'node:zlib'

const attribute = /([a-z0-9\-_]+)="([^"]+)"/gi

/** A number of a channel: neither 0 nor -1. */
const isNumber = text => /^-?\d+(\.\d+)?$/.test(text ?? '') && text !== '0' && text !== '-1'

/** Returns the channels of a list. Jellyfin identifies a channel in the guide by `guideID`. */
export function channelsOf(list) {
  const channels = []
  let about = ''
  for (const line of list.split('\n').map(line => line.trim()).filter(Boolean)) {
    if (/^#EXTINF:/i.test(line)) about = line.slice('#EXTINF:'.length).trim()
    else if (about && !line.startsWith('#')) {
      channels.push(channelOf(about, line))
      about = ''
    }
  }
  return channels
}

function channelOf(about, url) {
  const attributes = Object.fromEntries([...about.matchAll(attribute)].map(([, key, value]) => [key.toLowerCase(), value]))
  const words = about.replace(attribute, '').split(',').filter(Boolean) // what follows the last comma is the name
  let name = words.length > 1 ? words.at(-1).trim() : undefined
  const space = name?.indexOf(' ') ?? -1
  if (space > 0 && Number.isFinite(Number(name.slice(0, space).replace(/^[ .]+|[ .]+$/g, '') || NaN))) name = name.slice(space + 1).replace(/^[ -]+|[ -]+$/g, '') // it takes a number before the name for that of the channel
  const number = [attributes['tvg-chno'], attributes['tvg-id']].find(isNumber) ?? null
  return { name: name || attributes['tvg-name'] || attributes['tvg-id'], number, group: attributes['group-title'], logo: attributes['tvg-logo'], guideID: attributes['tvg-id'], url }
}

/** Returns the text of a guide, which Jellyfin unzips when its address ends in .gz or .gzip. */
export async function guideOf(address) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  const data = Buffer.from(await response.arrayBuffer())
  return /\.gz(ip)?$/i.test(new URL(response.url).pathname) ? gunzipSync(data).toString() : data.toString()
}

/** The media types that Jellyfin gives to FFmpeg. It copies others as one endless file. */
export const forFFmpeg = ['text/plain', 'text/html', 'video/x-matroska', 'video/mp4', 'application/vnd.apple.mpegurl', 'application/mpegurl', 'application/x-mpegurl', 'video/vnd.mpeg.dash.mpd']
