/** Accounts without a script: every form works. */
import assert from 'node:assert/strict'
import { accountFlow as flow, address, paths, signIn, submit, totp } from '../account.mjs'
import { text } from '../texts.mjs'

const done = (page, what) => page.locator('.notice', { hasText: text('en', `account.done_${what}`) }).waitFor()

flow('an account without a script', { javaScriptEnabled: false }, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/^request: csp .*\.js$/)
  await page.goto(`${stack.base}/en`)
  await page.locator('.me-out').click() // without a script it is a link
  await page.waitForURL(url => url.pathname === paths.signin)
  assert.equal(await page.locator('.needs-js:visible').count(), 0)
  await signIn(page, stack, address())
  await submit(page, 'profile', { name: 'Maria' })
  await done(page, 'profile')
  await page.goto(`${stack.base}${paths.security}`)
  await submit(page, 'password', { password: 'tres pratos de trigo' })
  await done(page, 'password')
  await submit(page, 'app')
  const secret = await page.locator('.account-secret').textContent()
  await submit(page, 'app-code', { code: totp(secret) })
  assert.equal(await page.locator('.account-codes code').count(), 10)
  await page.goto(`${stack.base}${paths.keys}`)
  await submit(page, 'create', { name: 'Player' })
  assert.match(await page.locator('#secret').inputValue(), /^mmk_/)
  await page.locator('.account-nav button').click()
  await done(page, 'signed_out')
})
