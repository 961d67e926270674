/** From a search to a feed with the client that hey-api generates. */
import assert from 'node:assert/strict'
import { client } from '../generated/heyapi/client.gen.js'
import { addItem, createFolder, createGuest, getLibraryFeedJson, getLibraryFeedM3U, searchChannels } from '../generated/heyapi/index.js'

client.setConfig({ baseUrl: process.argv[2] })

const found = await searchChannels({ query: { kind: 'all', limit: 5 }, throwOnError: true })
const channel = found.data.items[0]!

const guest = await createGuest({ throwOnError: true })
const headers = { 'X-Guest-Token': guest.data.token }

const folder = await createFolder({ headers, body: { name: 'News' }, throwOnError: true })
const added = await addItem({ headers, body: { group_id: folder.data.group_id, channel_id: channel.id }, throwOnError: true })
assert.ok(added.data.categories[0]!.groups[0]!.items.some(item => item.channel_id === channel.id))

const token = added.data.feeds.m3u.split('/').at(-2)!
const feed = await getLibraryFeedM3U({ path: { token }, parseAs: 'text', throwOnError: true })
assert.match(feed.data, /^#EXTM3U/)
assert.ok(feed.data.includes(channel.name))

const list = await getLibraryFeedJson({ path: { token }, throwOnError: true })
assert.equal(list.data.channels[0]!.id, channel.id)

const refused = await createFolder({ headers, body: { name: ' ' } })
assert.deepEqual([refused.error!.error, refused.error!.reason], ['invalid_name', 'empty'])
console.log(`${channel.name} is in the feed`)
