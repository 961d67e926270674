/** Channels that left the catalog: what favorites and the library say of them. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

const ended = {
  channel_id: 'Ended.us', name: 'Ended', country: 'US', kind: 'tv', reason: 'closed', since: '2019-12-31', replaced_by: testChannel
}
const forgotten = { channel_id: 'Forgotten.br', name: null, country: null, kind: 'tv', reason: 'vanished', since: null, replaced_by: null }

flow('favorites that left the catalog are listed apart, and can be removed', {}, async ({ context, page }, stack) => {
  const guest = await Guest.make(stack.base)
  await guest.become(context)
  const removed = []
  await page.route('**/api/favorites*', route => route.fulfill({
    json: { items: [], total: 0, limit: 50, offset: 0, next_offset: null, next: null, api: '', max: 500, gone: [ended, forgotten] }
  }))
  await page.route('**/api/favorites/*', route => {
    removed.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`)
    return route.fulfill({ json: { ok: true } })
  })
  await page.goto(`${stack.base}/en/favorites`)
  const rows = page.locator('#gone li')
  await until(async () => await rows.count() === 2, 'both channels are shown')
  const text = await rows.first().innerText()
  assert.match(text, /Ended/)
  assert.match(text, /Closed on Dec 31, 2019/)
  assert.equal(await rows.first().locator('a').getAttribute('href'), `/en/channel/${testChannel}`)
  assert.match(await rows.nth(1).innerText(), /no longer known[^]*Left the catalog/)
  assert.equal(await page.locator('#blank').innerText(), '', 'the list is not called empty')
  await rows.first().getByRole('button', { name: 'Remove Ended' }).click()
  await until(async () => await rows.count() === 1, 'the row is removed')
  assert.deepEqual(removed, ['DELETE /api/favorites/Ended.us'])
  await rows.first().getByRole('button').click()
  await until(() => page.locator('#gone').isHidden(), 'the section goes with its last row')
  assert.match(await page.locator('#blank').innerText(), /No favorites yet/)
})
