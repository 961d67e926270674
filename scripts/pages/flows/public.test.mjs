/** Public libraries: an owner publishes folders, a stranger reads, follows, copies and reports them, and the operator hides them. */
import assert from 'node:assert/strict'
import { network } from '../account.mjs'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { operatorToken } from '../stack.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const hostile = '<img src=x onerror="window.broken = true">'

/** Makes a guest with a public folder and a private one. */
async function publisher(stack, name) {
  const guest = await Guest.make(stack.base)
  const { id, group_id } = await guest.call('POST', '/api/categories', { name: 'Morning' })
  await guest.call('POST', '/api/items', { group_id, channel_id: testChannel })
  await guest.call('POST', '/api/categories', { name: 'Private things' })
  const publish = title => guest.call('PUT', '/api/library/public', { name, title, folders: [id] })
  await publish('Morning TV')
  return { guest, publish }
}

flow('an owner previews, publishes, changes and ends a public library', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status of 4|status: 400/)
  const name = `owner-${process.pid}`
  const guest = await Guest.make(stack.base)
  await guest.become(visit.context)
  await visit.go('/en/library')
  assert.equal(await page.locator('#public').isVisible(), false)
  await page.locator('#blank [data-do=folder]').click()
  await page.getByRole('dialog').locator('input').fill('Private things')
  await page.getByRole('dialog').getByRole('button', { name: say('keep.ui.create') }).click()
  await page.locator('#public-edit').waitFor() // without a reload
  const { group_id } = await guest.call('POST', '/api/categories', { name: 'Morning' })
  await guest.call('POST', '/api/items', { group_id, channel_id: testChannel })

  await visit.go('/en/library')
  await page.locator('#public-edit').click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[name=name]').fill(name)
  await dialog.locator('[name=title]').fill(hostile)
  await dialog.getByRole('button', { name: say('library.ui.public_preview') }).click()
  await dialog.getByRole('alert').filter({ hasText: /./ }).waitFor() // no folder is chosen
  await dialog.getByLabel('Morning').check()
  await dialog.getByRole('button', { name: say('library.ui.public_preview') }).click()
  const preview = dialog.locator('.public-preview')
  await preview.getByText(hostile).waitFor()
  assert.ok(!(await preview.textContent()).includes('Private things'))
  assert.equal((await fetch(new URL(`/l/${name}`, stack.base))).status, 404, 'a preview publishes nothing')
  await dialog.getByRole('button', { name: say('library.ui.public_publish') }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.locator('#public-state a').click()
  await page.waitForURL(url => url.pathname === `/en/l/${name}`)
  assert.equal(await page.locator('h1').textContent(), hostile)
  assert.ok(!(await page.content()).includes('Private things'))
  assert.equal(await page.evaluate(() => window.broken), undefined)

  await visit.go('/en/library')
  await page.locator('#public-end').click()
  await page.getByRole('dialog').getByRole('button', { name: say('library.ui.public_end') }).click()
  await page.locator('#public-end').waitFor({ state: 'detached' })
  assert.equal((await fetch(new URL(`/api/libraries/${name}`, stack.base))).status, 404)
})

flow('a stranger follows, copies and reports a public library', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  const name = `stranger-${process.pid}`
  const { guest } = await publisher(stack, name)
  visit.forgive(/status of 404/)
  await visit.go(`/en/l/${name}`)
  await page.locator('#follow').click()
  await page.locator('#follow[aria-pressed=true]').waitFor()
  await visit.go(`/en/l/${name}`)
  await page.locator('#follow[aria-pressed=true]').waitFor() // as its entry says
  await page.locator('#copy-folder').click()
  await page.getByText(say('public.ui.copied', { name: 'Morning' })).waitFor()
  await page.locator('#copy-folder').click()
  await page.getByText(say('public.ui.copied_before', { name: 'Morning' })).waitFor()
  await page.locator('#report-library').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(say('guard.ui.reason_spam')).check()
  await dialog.getByRole('button', { name: say('guard.ui.send') }).click()
  await page.getByText(say('guard.ui.reported')).waitFor()

  await visit.go('/en/library')
  await page.locator('#folders').getByText('Morning').waitFor()
  const shelf = page.locator('#followed details')
  await shelf.locator('summary').press('Enter')
  await shelf.getByRole('link').first().waitFor()
  assert.equal(await page.locator('.followed-head a').getAttribute('href'), `/en/l/${name}`)
  await guest.call('DELETE', '/api/library/public')
  await visit.go('/en/library')
  await page.locator('#followed').getByText(say('library.ui.following_gone')).waitFor()
  await page.locator('#followed .icon-button').click()
  await page.locator('#following').waitFor({ state: 'hidden' })
})

flow('an entry that is gone does not stand for what is shown', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  const name = `gone-${process.pid}`
  await publisher(stack, name)
  await (await Guest.make(stack.base)).become(visit.context)
  const gone = { id: 'fol_aaaaaaaaaaaa', library: name, folder: null, gone: true }
  await page.route('**/api/following?*', route => route.fulfill({ json: { items: [gone] } }))
  const answered = page.waitForResponse('**/api/following?*')
  await visit.go(`/en/l/${name}`)
  await answered
  await page.locator('#follow').click() // which follows, and does not end what the entry says
  await page.locator('#follow[aria-pressed=true]').waitFor()
})

flow('the operator hides a reported library, and its owner reads why', { extraHTTPHeaders: network() }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status of 404/)
  const name = `hidden-${process.pid}`
  const { guest, publish } = await publisher(stack, name)
  await publish(hostile)
  const reporter = await Guest.make(stack.base)
  await reporter.call('POST', '/api/moderation/reports', { kind: 'library', id: name, reason: 'spam' })
  await visit.go('/en/moderation')
  await page.evaluate(([token]) => {
    sessionStorage.setItem('mm-operator', token)
    sessionStorage.setItem('mm-operator-name', 'Olga')
  }, [operatorToken])
  await visit.go('/en/moderation')
  const reported = page.locator('.moderation-text', { hasText: name })
  await reported.getByText('Morning: Geral').waitFor()
  await reported.locator('[name=reason]').fill('advertising')
  await reported.getByRole('button', { name: say('moderation.ui.act_hide_library') }).click()
  await until(async () => (await fetch(new URL(`/api/libraries/${name}`, stack.base), { cache: 'no-store' })).status === 404, 'the library is hidden')
  assert.equal(await page.evaluate(() => window.broken), undefined)
  await guest.become(visit.context)
  await visit.go('/en/library')
  await page.getByText(say('library.ui.public_hidden', { reason: 'advertising' })).waitFor()
})

flow('without a script the page of a public library has its channels, folders and feeds', { extraHTTPHeaders: network(), javaScriptEnabled: false }, async (visit, stack) => {
  const { page } = visit
  const name = `plain-${process.pid}`
  visit.forgive(/^request: csp/) // what the page would run
  await publisher(stack, name)
  await visit.go(`/de/l/${name}`)
  assert.equal(await page.locator('.card-link').count(), 1)
  assert.equal(await page.locator('#follow').isVisible(), false)
  const feed = await page.locator('.public-feeds a', { hasText: 'M3U8' }).first().getAttribute('href')
  const list = await (await fetch(new URL(new URL(feed).pathname, stack.base))).text()
  assert.match(list, /^#EXTM3U/)
})
