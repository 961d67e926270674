// Logs in to a server of Xtream Codes with the client of @iptv, and writes what the client
// makes of its answers, as JSON. Arguments: the server, the user name, the password.
import { Xtream } from '@iptv/xtream-api'
import { standardizedSerializer } from '@iptv/xtream-api/standardized'

const [url, username, password] = process.argv.slice(2)
const login = { url, username, password, preferredFormat: 'm3u8' }
const client = new Xtream(login)
const profile = await client.getProfile()
if (profile.auth !== 1) {
  process.stdout.write(JSON.stringify({ auth: profile.auth }))
  process.exit()
}
const strict = new Xtream({ ...login, serializer: standardizedSerializer })
const categories = await client.getChannelCategories()
const channels = await client.getChannels()
const within = await client.getChannels({ categoryId: categories[0].category_id, page: 1, limit: 3 })
const channelId = channels[0].stream_id
const short = await client.getShortEPG({ channelId, limit: 2 })
const full = await client.getFullEPG({ channelId })
const text = ({ title }) => Buffer.from(title, 'base64').toString() // the client takes each byte for a character
process.stdout.write(JSON.stringify({
  auth: profile.auth,
  zone: (await client.getServerInfo()).timezone,
  categories: categories.map(category => category.category_name),
  channels: channels.map(({ name, stream_id: number, epg_channel_id: guide, url }) => ({ name, number, guide, url })),
  within: within.length,
  named: (await strict.getChannels()).map(channel => channel.name),
  short: short.epg_listings.map(listing => ({ title: text(listing), start: listing.start_timestamp })),
  full: full.epg_listings.map(text),
  times: (await strict.getFullEPG({ channelId })).every(({ start, end }) => end - start === 3 * 60 * 60 * 1000),
  films: [...await client.getMovies(), ...await client.getShows(), ...await client.getMovieCategories(), ...await client.getShowCategories()]
}))
