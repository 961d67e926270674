/** Names and words that are meant to break pages change none: they are shown as they are, and nothing of them runs. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { barriers, layout, windows } from '../browser.mjs'
import { flow } from '../flow.mjs'
import { catalog, ids, names, words } from '../hostile.mjs'
import { start } from '../stack.mjs'

/** A stack with that catalog, for as long as the test runs. */
async function hostile(t) {
  const { folder, remove } = await catalog()
  t.after(remove)
  const stack = await start({ catalog: folder, jobs: false })
  t.after(() => stack.stop())
  return stack
}

flow('hostile names and words', { on: hostile }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/404 .*\/logos\//)
  const guest = await furnished(stack)
  await guest.become(visit.context)
  await visit.context.addInitScript(name => localStorage.setItem('mm-name', name), words[1])
  const shown = await Promise.all(ids.map(async id => (await (await fetch(`${stack.base}/api/channels/${id}`)).json()).name))
  const open = async (path, check) => {
    for (const window of [windows[0], windows[3]]) {
      await page.setViewportSize(window)
      await visit.go(path)
      assert.deepEqual(await layout(page), [], `${path} at ${window.width}`)
      assert.equal(await page.evaluate(() => window.pwned), undefined, path)
      assert.equal(await page.locator('h1').count(), 1, path)
      await check?.()
    }
    assert.deepEqual(await barriers(page), [], path)
  }
  const has = (place, texts) => async () => {
    const text = await page.locator(place).evaluateAll(all => all.map(element => element.textContent).join('\n'))
    for (const each of texts) assert.ok(text.includes(each), `${place} lacks ${each.slice(0, 60)}: ${text.slice(0, 400)}`)
  }

  await open('/en?playable=0', has('#results', shown))
  await open(`/en?playable=0&q=${encodeURIComponent(names[0])}`, async () => assert.equal(await page.locator('#q').inputValue(), names[0]))
  await open('/en?playable=0&kind=radio&tag=%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E')
  await open('/en?playable=0&category=hostile')
  await open('/en/brazil?playable=0', has('#results', shown))
  for (const [n, id] of ids.entries()) {
    await open(`/en/channel/${id}`, has('h1', [shown[n]]))
    assert.equal(await page.locator('a[href^="javascript:" i], [onerror], [onclick], [onload]').count(), 0)
  }
  await open(`/en/channel/${ids[0]}`, has('#comments', words))
  await page.locator(`#details [data-keep="${ids[0]}"]`).click()
  await page.getByRole('dialog').locator('[data-group]').first().waitFor()
  await has('dialog', words.slice(0, folders))()
  await open('/en/library', has('#folders', words.slice(0, folders)))
  await has('#items', shown.slice(0, 3))()
  await open('/en/favorites', has('main', shown))
  await open('/en/history', has('main', shown))
})

const folders = 8 // as many as a library has

/** A guest who named everything so, and said so. */
async function furnished({ base }) {
  const guest = await Guest.make(base)
  for (const word of words.slice(0, folders)) await guest.call('POST', '/api/categories', { name: word })
  const library = await guest.call('GET', '/api/library')
  const { id, groups } = library.categories[0]
  for (const word of words.slice(0, 4)) await guest.call('POST', '/api/groups', { category_id: id, name: word })
  for (const channel_id of ids) {
    await guest.call('POST', '/api/items', { group_id: groups[0].id, channel_id })
    await guest.call('POST', '/api/favorites', { channel_id })
    await guest.call('POST', '/api/history', { channel_id })
  }
  for (const word of words) await guest.call('POST', `/api/channels/${ids[0]}/comments`, { body: word, author: word })
  return guest
}
