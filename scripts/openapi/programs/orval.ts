/** From a search to a feed with the client that orval generates. */
import assert from 'node:assert/strict'
import { addItem, createFolder, createGuest, getLibraryFeedJson, getLibraryFeedM3u, searchChannels } from '../generated/orval.js'

const found = await searchChannels({ kind: 'all', limit: 5 })
if (found.status !== 200) throw new Error(`search: ${found.status}`)
const channel = found.data.items[0]!

const guest = await createGuest()
if (guest.status !== 200) throw new Error(`guest: ${guest.status}`)
const headers = { 'X-Guest-Token': guest.data.token }

const folder = await createFolder({ name: 'News' }, { headers })
if (folder.status !== 200) throw new Error(`folder: ${folder.status}`)
const added = await addItem({ group_id: folder.data.group_id, channel_id: channel.id }, { headers })
if (added.status !== 200) throw new Error(`item: ${added.status}`)
assert.ok(added.data.categories[0]!.groups[0]!.items.some(item => item.channel_id === channel.id))

const token = added.data.feeds.m3u.split('/').at(-2)!
const feed = await getLibraryFeedM3u(token)
if (feed.status !== 200) throw new Error(`feed: ${feed.status}`)
const playlist = await feed.data.text()
assert.match(playlist, /^#EXTM3U/)
assert.ok(playlist.includes(channel.name))

const list = await getLibraryFeedJson(token)
assert.ok(list.status === 200 && list.data.channels[0]!.id === channel.id)

const refused = await createFolder({ name: ' ' }, { headers })
assert.ok(refused.status === 400 && refused.data.error === 'invalid_name' && refused.data.reason === 'empty')
console.log(`${channel.name} is in the feed`)
