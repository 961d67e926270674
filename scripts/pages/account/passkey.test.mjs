/** Passkeys, with an authenticator that the browser pretends to have. */
import assert from 'node:assert/strict'
import { accountFlow as flow, address, paths, signIn } from '../account.mjs'
import { until } from '../flow.mjs'
import { text } from '../texts.mjs'

const t = (key, fields) => text('en', key, fields)

/** Returns the stack by its name: browsers offer no passkeys at an address of digits. */
function named(stack) {
  const base = new URL(stack.base)
  base.hostname = 'localhost'
  return { ...stack, base: base.origin }
}

/** Gives a page an authenticator that keeps passkeys and verifies its user, and returns how many it keeps. */
async function authenticator(page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
}

flow('add a passkey, sign in by it, and remove it', {}, async ({ page }, shared) => {
  const stack = named(shared)
  await signIn(page, stack, address(), paths.security)
  const kept = await authenticator(page)
  await page.locator('#add-passkey').click()
  await page.locator('.notice', { hasText: t('account.done_passkey_added') }).waitFor()
  assert.equal(await kept(), 1)
  assert.equal(await page.locator('form [name=passkey]').count(), 2, 'it can be renamed and removed')
  await page.locator('.account-nav button').click()
  await page.locator('.notice', { hasText: t('account.done_signed_out') }).waitFor()

  await page.goto(`${stack.base}${paths.signin}?to=${paths.security}`)
  await page.locator('#passkey').click()
  await page.waitForURL(url => url.pathname === paths.security)
  assert.equal(await page.locator('form [name=passkey]').count(), 2)
  await page.locator('form').filter({ has: page.locator('[value=passkey-remove]') }).locator('button').click()
  await page.locator('.notice', { hasText: t('account.done_passkey_removed') }).waitFor()
  assert.equal(await page.locator('form [name=passkey]').count(), 0)
})

flow('where passkeys do not work, nothing but the rest is offered', {}, async ({ page }, stack) => {
  await page.goto(`${stack.base}${paths.signin}`)
  await silent(page)
  await page.goto(`${stack.base}/en`)
  await page.locator('a[data-me=door]').click()
  await page.locator('dialog[open] #email').waitFor()
  await silent(page)
})

/** Checks a step of signing in after its field had the focus, which is when passkeys are suggested. */
async function silent(page) {
  await page.locator('#email').blur()
  await page.locator('#email').focus()
  await until(() => page.locator('#passkey').isHidden(), 'the button is hidden')
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('[role=alert]:visible').count(), 0)
  assert.ok(await page.locator('form button.primary:visible').count() > 0)
}
