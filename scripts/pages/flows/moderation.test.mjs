/** Moderation: visitors report comments and hide authors, and the operator acts on what was reported. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { operatorToken } from '../stack.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const hostile = { body: '</bdi><script>bought=1</script>', author: '</bdi><img src=x onerror=bought=1>' } // short: a network may repeat it
const path = `/api/channels/${testChannel}/comments`

/** Returns the comments that anyone reads. */
async function comments(stack) {
  return (await (await fetch(stack.base + path)).json()).items
}

/** Posts a comment as a new guest and returns it. */
async function post(stack, body, author) {
  const guest = await Guest.make(stack.base)
  return (await guest.call('POST', path, { body, author })).comment
}

flow('report a comment, hide its author, and show it again', {}, async (visit, stack) => {
  const { page } = visit
  const comment = await post(stack, 'Buy now', 'Seller <b>')
  const other = await post(stack, 'A fine picture', 'Seller <b>')
  await visit.go(`/en/channel/${testChannel}`)
  const item = id => page.locator(`#comments [data-comment="${id}"]`)
  const open = async act => {
    await item(comment.id).getByRole('button', { name: say('comments.ui.acts') }).click()
    await page.getByRole('dialog').getByRole('button', { name: say(act) }).click()
  }
  await open('guard.ui.report')
  await page.getByRole('dialog').getByLabel(say('guard.ui.reason_spam')).check()
  const reported = page.waitForResponse(response => response.url().endsWith('/api/moderation/reports'))
  await page.getByRole('dialog').getByRole('button', { name: say('guard.ui.send') }).click()
  assert.deepEqual(await (await reported).json(), { ok: true, counted: true })

  await open('guard.ui.hide')
  await item(comment.id).waitFor({ state: 'detached' })
  await item(other.id).waitFor() // another author of the same name
  await page.reload()
  await item(other.id).waitFor()
  assert.equal(await item(comment.id).count(), 0)
  await page.locator('#comments').getByRole('button', { name: say('comments.ui.hidden') }).click()
  const author = page.getByRole('dialog').locator('li')
  assert.equal(await author.locator('bdi').textContent(), 'Seller <b>')
  await author.getByRole('button', { name: say('comments.ui.hidden_show') }).click()
  await page.getByRole('dialog').getByText(say('comments.ui.hidden_empty')).waitFor()
  await item(comment.id).waitFor()
  assert.ok((await comments(stack)).some(({ id }) => id === comment.id), 'others read it')
})

flow('undo hiding an author', {}, async (visit, stack) => {
  const { page } = visit
  const comment = await post(stack, 'Hello', 'Ana')
  await visit.go(`/en/channel/${testChannel}`)
  const item = page.locator(`#comments [data-comment="${comment.id}"]`)
  await item.getByRole('button', { name: say('comments.ui.acts') }).click()
  await page.getByRole('dialog').getByRole('button', { name: say('guard.ui.hide') }).click()
  await item.waitFor({ state: 'detached' })
  await page.locator('#toasts').getByRole('button', { name: say('guard.ui.undo') }).click()
  await item.waitFor()
})

flow('the operator removes a reported text by the keyboard', {}, async (visit, stack) => {
  const { page } = visit
  const comment = await post(stack, hostile.body, hostile.author)
  const reporter = await Guest.make(stack.base)
  await reporter.call('POST', '/api/moderation/reports', { kind: 'comment', id: comment.id, reason: 'spam' })
  visit.forgive(/\/api\/admin\/moderation\/reports|status of 401/)
  await visit.go('/en/moderation')
  assert.equal(await page.locator('meta[name=robots]').getAttribute('content'), 'noindex')
  await page.getByLabel(say('moderation.ui.token')).fill('wrong')
  await page.getByLabel(say('moderation.ui.by')).fill('Olga')
  await page.keyboard.press('Enter')
  await page.locator('#moderation .wrong').filter({ hasText: /./ }).waitFor()
  await page.getByLabel(say('moderation.ui.token')).fill(operatorToken)
  await page.keyboard.press('Enter')

  const reported = page.locator(`[data-text="${comment.id}"]`)
  await reported.waitFor()
  assert.equal(await reported.locator('.moderation-body').textContent(), comment.body)
  assert.equal(await reported.locator('bdi').textContent(), comment.author)
  await page.reload() // the tab keeps the token
  await reported.getByLabel(say('moderation.ui.reason')).focus()
  const reason = `advertising, as in ${comment.id}` // the log of a stack keeps those of earlier runs
  await page.keyboard.type(reason)
  const remove = reported.getByRole('button', { name: say('moderation.ui.act_remove_comment') })
  await page.keyboard.press('Enter') // leads to the buttons, and presses none
  assert.ok(await remove.evaluate(button => button === document.activeElement))
  assert.equal((await comments(stack)).filter(({ id }) => id === comment.id).length, 1)
  await page.keyboard.press('Enter')
  await reported.waitFor({ state: 'detached' })
  const entry = page.locator('.moderation-entry', { hasText: reason })
  await entry.waitFor()
  assert.equal(await entry.locator('.moderation-body').textContent(), comment.body)
  assert.equal(await page.evaluate(() => window.bought), undefined)
  await until(async () => !(await comments(stack)).some(({ id }) => id === comment.id), 'nobody reads the comment')

  await page.getByRole('button', { name: say('moderation.ui.leave') }).click()
  await page.getByLabel(say('moderation.ui.token')).waitFor()
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
  assert.equal(await page.locator('.moderation-entry').count(), 0)
})

flow('the operator removes everything of an author and of a network, and restores it', {}, async (visit, stack) => {
  const { page } = visit
  const eve = await Guest.make(stack.base)
  const bodies = [hostile.body, 'so cheap', 'look here']
  const posted = []
  for (const body of bodies) posted.push((await eve.call('POST', path, { body, author: hostile.author })).comment)
  const there = async () => (await comments(stack)).filter(({ id }) => posted.some(one => one.id === id)).length
  await (await Guest.make(stack.base)).call('POST', '/api/moderation/reports', { kind: 'comment', id: posted[1].id, reason: 'spam' })
  await visit.go('/en/moderation')
  await page.getByLabel(say('moderation.ui.token')).fill(operatorToken)
  await page.getByLabel(say('moderation.ui.by')).fill('Olga')
  await page.keyboard.press('Enter')

  const reported = page.locator(`[data-text="${posted[1].id}"]`)
  const dialog = page.getByRole('dialog')
  await reported.getByRole('button', { name: say('moderation.ui.bulk_network') }).click()
  await dialog.getByRole('button', { name: say('moderation.ui.bulk_mute_network') }).waitFor()
  assert.match(await dialog.locator('code').textContent(), /^[0-9a-f]{32}$/)
  await page.keyboard.press('Escape')

  await reported.getByRole('button', { name: say('moderation.ui.bulk_author') }).click()
  await dialog.getByText(`3 ${say('moderation.ui.bulk_comments.other', { n: '' }).trim()}`).waitFor()
  assert.deepEqual((await dialog.locator('.moderation-body').allTextContents()).sort(), [...bodies].sort())
  assert.deepEqual(await dialog.locator('bdi').allTextContents(), bodies.map(() => hostile.author))
  for (const [width, height] of [[360, 800], [1280, 900]]) {
    await page.setViewportSize({ width, height })
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `nothing is cut at ${width}`)
  }
  const reason = `a flood, as in ${posted[0].id}` // the log of a stack keeps those of earlier runs
  await dialog.getByLabel(say('moderation.ui.reason')).fill(reason)
  await dialog.getByRole('button', { name: say('moderation.ui.act_remove_all') }).click()
  await dialog.waitFor({ state: 'detached' })
  await reported.waitFor({ state: 'detached' })
  await until(async () => await there() === 0, 'nobody reads them')

  const entry = page.locator('.moderation-entry', { hasText: reason })
  await entry.getByRole('button', { name: say('moderation.ui.act_restore_all') }).click()
  await entry.getByText(say('moderation.ui.bulk_undone')).waitFor()
  await until(async () => await there() === bodies.length, 'all of them are read again')
  assert.equal(await entry.getByRole('button').count(), 0)
  assert.equal(await page.evaluate(() => window.bought), undefined)
  for (const { id } of posted) await eve.call('DELETE', `/api/comments/${id}`)
})
