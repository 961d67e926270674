const base = 'http://127.0.0.1:8787'

const { items: [channel] } = await (await fetch(`${base}/api/channels?sort=score&limit=1`)).json()

// The token is the only key to the library: keep it.
const { token } = await (await fetch(`${base}/api/guest`, { method: 'POST' })).json()

/** Posts to the guest's library. */
async function send(path, body) {
  const headers = { 'X-Guest-Token': token, 'Content-Type': 'application/json' }
  const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const { group_id } = await send('/api/categories', { name: 'My channels' })
const { feeds } = await send('/api/items', { group_id, channel_id: channel.id })

console.log(feeds.m3u)
console.log(await (await fetch(feeds.m3u)).text())
