/** The buttons that save show what the library has, and a phone has one menu for each row. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)

/** Makes the browser that of a guest with a folder, a favorite and a history. */
async function owner({ context }, stack) {
  const guest = await Guest.make(stack.base)
  const { group_id } = await guest.call('POST', '/api/categories', { name: 'Abend' })
  await guest.call('POST', '/api/items', { group_id, channel_id: testChannel })
  await guest.call('POST', '/api/favorites', { channel_id: testChannel })
  await guest.call('POST', '/api/history', { channel_id: testChannel })
  await guest.become(context)
}

flow('what is saved is shown on the page of the channel and on cards, by one request', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  const asked = []
  page.on('request', request => { if (new URL(request.url()).pathname === '/api/library') asked.push(request.url()) })
  await visit.go(`/en/channel/${testChannel}`)
  const button = page.locator(`#details [data-keep="${testChannel}"]`)
  await until(() => button.evaluate(button => button.hasAttribute('data-kept')), 'the button shows it')
  await button.getByText(say('channel.kept')).waitFor()
  await visit.go('/en?q=test+card')
  const card = page.locator(`#cards [data-id="${testChannel}"] [data-keep]`)
  await until(async () => /library/.test(await card.getAttribute('aria-label')) && await card.evaluate(button => button.hasAttribute('data-kept')), 'the card shows it')
  assert.equal(asked.length, 1)

  // Taken out of the folder, it is not saved any more.
  await card.click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[data-group]').first().click()
  await until(async () => !await card.evaluate(button => button.hasAttribute('data-kept')), 'the card shows that too')
})

flow('rows of favorites and history have one menu on a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  const dialog = page.getByRole('dialog')
  for (const [path, last] of [['favorites', null], ['history', 'history.ui.drop'], ['library', null]]) {
    await visit.go(`/en/${path}`)
    const row = page.locator('#items > li[data-id]').first()
    await row.waitFor()
    const buttons = row.locator('button:visible:not(.grip)')
    assert.equal(await buttons.count(), 1, `${path} has one button a row`)
    await buttons.tap()
    await dialog.waitFor()
    if (path !== 'library') await dialog.getByRole('button', { name: say('keep.ui.favorite_drop') }).waitFor()
    if (last) {
      await dialog.getByRole('button', { name: say(last) }).tap()
      await page.locator('#items > li[data-id]').waitFor({ state: 'detached' })
      const [toast, tabs] = [await page.locator('#toasts .toast').boundingBox(), await page.locator('.nav').boundingBox()]
      assert.ok(toast.y + toast.height <= tabs.y, 'the message is above the tabs')
    }
  }
})

flow('keys are spoken of where there are some', { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true }, async (visit) => {
  await visit.go('/en/favorites')
  assert.equal(await visit.page.locator('.for-keys:visible').count(), 0)
  await visit.page.getByText(say('favorites.lead_touch')).waitFor()
})
