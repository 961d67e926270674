/** Comments: write one, see it where others do, take it back. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const say = key => text('en', key)
const body = 'One line\n<b>two</b> & more' // short: a network may repeat it

flow('comment, and take it back', {}, async (visit, stack) => {
  const { page } = visit
  await visit.go(`/en/channel/${testChannel}`)
  const box = page.locator('#comments')
  await box.getByLabel(say('comments.ui.body'), { exact: true }).fill(body)
  await box.getByLabel(say('comments.ui.author'), { exact: true }).fill('Ana "Zé" <i>')
  const sent = page.waitForResponse(response => response.request().method() === 'POST' && response.url().includes('/comments'))
  await box.getByRole('button', { name: say('comments.ui.send'), exact: true }).click()
  const { comment } = await (await sent).json()
  assert.equal(comment.body, body)
  await page.reload()
  const mine = box.locator(`[data-comment="${comment.id}"]`)
  await mine.waitFor()
  assert.equal(await mine.locator('.comment-body').textContent(), body)
  assert.ok((await mine.textContent()).includes('Ana "Zé" <i>'))
  await mine.getByRole('button', { name: say('comments.ui.delete') }).click()
  const removed = page.waitForResponse(response => response.request().method() === 'DELETE')
  await page.getByRole('dialog').getByRole('button', { name: say('comments.ui.delete') }).click()
  assert.equal((await removed).status(), 200)
  await mine.waitFor({ state: 'detached' })
  const left = await (await fetch(`${stack.base}/api/channels/${testChannel}/comments`)).json()
  assert.deepEqual(left.items.filter(({ id }) => id === comment.id), [])
})
