/** What an account has: profile, sessions, keys, a copy of everything, and its end. */
import assert from 'node:assert/strict'
import { accountFlow as flow, address, elsewhere, mail, paths, signIn, submit } from '../account.mjs'
import { Guest } from '../api.mjs'
import { until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const t = (key, fields) => text('en', key, fields)
const done = (page, what) => page.locator('.notice', { hasText: t(`account.done_${what}`) }).waitFor()

flow('the profile is kept, and shown in the menu', {}, async ({ page }, stack) => {
  await signIn(page, stack, address())
  const profile = page.locator('form').filter({ has: page.locator('[value=profile]') })
  await profile.locator('#name').fill('Maria <b>')
  await profile.locator('#locale').selectOption('de')
  await profile.locator('button').click()
  await done(page, 'profile')
  assert.equal(await page.locator('#name').inputValue(), 'Maria <b>')
  await page.goto(`${stack.base}/en`)
  await page.locator('.me-in').click()
  await page.getByRole('heading', { name: 'Maria <b>' }).waitFor()
})

flow('end another session, then all others', {}, async ({ page }, stack) => {
  const email = address()
  await signIn(page, stack, email)
  await elsewhere(page, async phone => elsewhere(page, async tablet => {
    for (const other of [phone, tablet]) await signIn(other, stack, email)
    await page.goto(`${stack.base}${paths.sessions}`)
    assert.equal(await page.locator('.account-row').count(), 3)
    assert.equal(await page.locator('.account-row .badge').count(), 1)
    await page.locator('.account-row').filter({ hasNot: page.locator('.badge') }).first().locator('button').click()
    await done(page, 'session')
    await submit(page, 'everywhere')
    await done(page, 'everywhere')
    for (const other of [phone, tablet]) {
      await other.reload()
      await other.waitForURL(url => url.pathname === paths.signin)
    }
  }))
})

flow('a key acts as the account until it is revoked', {}, async ({ page }, stack) => {
  await signIn(page, stack, address(), paths.keys)
  await submit(page, 'create', { name: 'Player' })
  const key = await page.locator('#secret').inputValue()
  const call = (path, options = {}) => fetch(new URL(path, stack.base), { ...options, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' } })
  const added = await call('/api/favorites', { method: 'POST', body: JSON.stringify({ channel_id: testChannel }) })
  assert.equal(added.status, 200)
  await page.goto(`${stack.base}/en/favorites`)
  await page.locator(`#items [data-id="${testChannel}"]`).waitFor()
  await page.goto(`${stack.base}${paths.keys}`)
  assert.equal(await page.locator('#secret').count(), 0, 'it is shown once')
  await submit(page, 'revoke')
  await done(page, 'key_revoked')
  await until(async () => (await call('/api/favorites')).status === 401, 'the key is refused')
})

flow('what a guest has is in the account after signing in', {}, async ({ page, context }, stack) => {
  const guest = await Guest.make(stack.base)
  await guest.call('POST', '/api/favorites', { channel_id: testChannel })
  await page.goto(`${stack.base}/en`)
  await page.evaluate(token => localStorage.setItem('mm-guest', token), guest.token)
  await page.goto(`${stack.base}${paths.signin}?to=/en/favorites`)
  const email = address()
  await submit(page, 'mail', { email })
  await submit(page, 'code', { code: (await mail(stack, email)).code })
  await page.locator('#brought', { hasText: text('en', 'layout.ui.claim_favorites.one', { n: '1' }) }).waitFor()
  await page.locator('#go-on').click()
  await page.locator(`#items [data-id="${testChannel}"]`).waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-guest')), null)
  await context.clearCookies()
})

flow('a session that has ended is said, and never replaced by the guest', {}, async (visit, stack) => {
  const { page, context } = visit
  visit.forgive(/status: 401 /, /status of 401/)
  await signIn(page, stack, address())
  const cookies = await context.cookies()
  const mine = cookies.find(({ name }) => name === '__Host-mm-auth')
  await page.goto(`${stack.base}${paths.account}`)
  await context.addCookies([{ ...mine, value: mine.value.replace(/.$/, last => (last === 'A' ? 'B' : 'A')) }])
  await page.goto(`${stack.base}/en/favorites`)
  await page.getByRole('heading', { name: t('layout.ui.ended') }).waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-guest')), null)
})

flow('take a copy of everything, delete the account, and keep it after all', {}, async ({ page }, stack) => {
  const email = address()
  await signIn(page, stack, email, paths.privacy)
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('a[download]').click()])
  assert.match(download.suggestedFilename(), /\.zip$/)
  await submit(page, 'delete', { confirmation: email })
  await page.waitForURL(url => url.pathname === paths.signin)
  await done(page, 'deleted')
  const seen = new Set()
  assert.match((await mail(stack, email, seen)).text, /\/en\/sign-in/)
  await page.goto(`${stack.base}${paths.signin}?to=${paths.privacy}`)
  await submit(page, 'mail', { email })
  await submit(page, 'code', { code: (await until(async () => (await mail(stack, email, seen)).code, 'a code came')) })
  await page.waitForURL(url => url.pathname === paths.privacy)
})
