const base = 'http://127.0.0.1:8787'

const { items: [{ id }] } = await (await fetch(`${base}/api/channels?sort=score&limit=1`)).json()

// Streams come best first. A player opens play_url, such as hls.loadSource(play) of hls.js.
const { streams } = await (await fetch(`${base}/api/channels/${id}`)).json()
const play = streams[0].play_url

console.log(play)
console.log(await (await fetch(play)).text())
