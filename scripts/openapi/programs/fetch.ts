/** From a search to a feed with openapi-fetch, by the types of openapi-typescript. */
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from '../generated/types.js'

const { GET, POST } = createClient<paths>({ baseUrl: process.argv[2] })

const found = await GET('/api/channels', { params: { query: { kind: 'all', limit: 5 } } })
assert.equal(found.error, undefined)
const channel = found.data!.items[0]!

const guest = await POST('/api/guest')
const headers = { 'X-Guest-Token': guest.data!.token }

const folder = await POST('/api/categories', { headers, body: { name: 'News' } })
const added = await POST('/api/items', { headers, body: { group_id: folder.data!.group_id, channel_id: channel.id } })
assert.ok(added.data!.categories[0]!.groups[0]!.items.some(item => item.channel_id === channel.id))

const token = added.data!.feeds.m3u.split('/').at(-2)!
const feed = await GET('/f/{token}/library.m3u', { params: { path: { token } }, parseAs: 'text' })
assert.match(feed.data!, /^#EXTM3U/)
assert.ok(feed.data!.includes(channel.name))

const list = await GET('/f/{token}/library.json', { params: { path: { token } } })
assert.equal(list.data!.channels[0]!.id, channel.id)

const refused = await POST('/api/categories', { headers, body: { name: ' ' } })
assert.deepEqual([refused.error!.error, refused.error!.reason], ['invalid_name', 'empty'])
console.log(`${channel.name} is in the feed`)
