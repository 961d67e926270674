const base = 'http://127.0.0.1:8787'

const answer = await fetch(`${base}/api/channels?q=news&sort=relevance&limit=5`)
const { items } = await answer.json()
for (const { id, name, country } of items) console.log(id, name, country)
