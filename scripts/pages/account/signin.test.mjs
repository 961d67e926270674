/** Signing in and out, by every means, and what it takes to change them. */
import assert from 'node:assert/strict'
import { accountFlow as flow, address, arrive, elsewhere, enterCode, form, mail, paths, signIn, submit, totp } from '../account.mjs'
import { until } from '../flow.mjs'
import { text } from '../texts.mjs'

const t = (key, fields) => text('en', key, fields)
const session = async page => (await page.context().cookies()).find(({ name }) => name === '__Host-mm-auth')?.value
const signedOut = async page => !(await session(page))

flow('sign up by a code, and go back to where one was', {}, async ({ page }, stack) => {
  const email = address()
  await page.goto(`${stack.base}/en/history`)
  await page.locator('a[data-me=door]').click()
  await page.waitForURL(url => url.pathname === paths.signin)
  await submit(page, 'mail', { email })
  await page.locator('[data-step=code]').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement.id), 'code', 'the code can be typed at once')
  const { code } = await mail(stack, email)
  await submit(page, 'code', { code })
  await page.waitForURL(url => url.pathname === '/en/history')
  assert.ok(await page.locator('.me-in').isVisible(), 'the bar at the top shows the account')
  const cookies = await page.context().cookies()
  const { httpOnly, secure, sameSite, path } = cookies.find(({ name }) => name === '__Host-mm-auth')
  assert.deepEqual({ httpOnly, secure, sameSite, path }, { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })

  // Every page shows it before the script has run, and signing out ends it.
  await page.goto(`${stack.base}/en`)
  await page.locator('.me-in').click()
  await page.locator('dialog[open] [data-sign-out]').click()
  await until(() => signedOut(page), 'the session is over')
  await page.locator('.me-out').waitFor()
})

flow('a wrong code is refused, the right one still works', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status: 400 .*sign-in/, /status of 400/)
  const email = address()
  await page.goto(`${stack.base}${paths.signin}`)
  await submit(page, 'mail', { email })
  const { code } = await mail(stack, email)
  await submit(page, 'code', { code: code === '000000' ? '000001' : '000000' })
  await page.getByRole('alert').waitFor()
  assert.ok(await signedOut(page))
  await submit(page, 'code', { code })
  await arrive(page, paths.account)
})

flow('sign up by the link of the mail, in another browser', {}, async ({ page }, stack) => {
  const email = address()
  await page.goto(`${stack.base}${paths.signin}`)
  await submit(page, 'mail', { email })
  const { link } = await mail(stack, email)
  await elsewhere(page, async phone => {
    await phone.goto(link)
    assert.ok(await signedOut(phone), 'opening the link alone signs nobody in')
    await phone.reload()
    await submit(phone, 'link')
    await arrive(phone, paths.account)
    assert.ok(await signedOut(page), 'the browser that asked for the mail is not signed in')
  }, { viewport: { width: 360, height: 780 } })
})

flow('sign in in the dialog of a page, which goes on as it is', {}, async ({ page }, stack) => {
  const email = address()
  await page.goto(`${stack.base}/en`)
  await page.evaluate(() => { window.same = true })
  await page.locator('a[data-me=door]').click()
  const box = page.locator('dialog[open]')
  await box.locator('#email').fill(email)
  await box.locator('.primary').click()
  await box.locator('#code').fill((await mail(stack, email)).code)
  await box.locator('.primary').click()
  await page.locator('.toast', { hasText: t('signin.ui.in') }).waitFor()
  assert.ok(await page.evaluate(() => window.same), 'the page was not loaded anew')
  assert.ok(await page.locator('.me-in').isVisible())
})

flow('set a password, which ends the other sessions, and sign in by it', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status: 40[01] /, /status of 40[01]/)
  const email = address(), password = 'tres pratos de trigo'
  await signIn(page, stack, email)
  await elsewhere(page, async phone => {
    await signIn(phone, stack, email, paths.sessions)
    assert.equal(await phone.locator('.account-row').count(), 2)
    await page.goto(`${stack.base}${paths.security}`)
    await submit(page, 'password', { password: 'password' })
    await page.getByRole('alert').first().waitFor()
    const before = await session(page)
    await submit(page, 'password', { password })
    await page.locator('.notice', { hasText: t('account.done_password') }).waitFor()
    assert.notEqual(await session(page), before, 'the session has another secret')
    await phone.reload()
    await phone.waitForURL(url => url.pathname === paths.signin)
    await phone.locator('.notice', { hasText: t('account.done_ended') }).waitFor()
    await phone.goto(`${stack.base}${paths.signin}`)
    await phone.getByRole('link', { name: t('signin.with_password') }).click()
    await submit(phone, 'password', { email, password: 'not this one' })
    await phone.getByRole('alert').waitFor()
    await submit(phone, 'password', { email, password })
    await arrive(phone, paths.account)
  })
})

flow('an authenticator app and recovery codes are asked for after the first proof', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/status: 400 /, /status of 400/)
  const email = address()
  await signIn(page, stack, email, paths.security)
  await submit(page, 'app')
  const secret = await page.locator('.account-secret').textContent()
  await page.locator('svg.qr').waitFor()
  await submit(page, 'app-code', { code: '000000' })
  await page.getByRole('alert').waitFor()
  assert.equal(await page.locator('.account-secret').textContent(), secret)
  await submit(page, 'app-code', { code: totp(secret) })
  const codes = await page.locator('.account-codes code').allTextContents()
  assert.equal(codes.length, 10)
  await page.getByRole('link', { name: t('security.codes_saved') }).click()
  await page.locator('.account-nav button').click()
  await page.locator('.notice', { hasText: t('account.done_signed_out') }).waitFor()

  for (const code of [() => totp(secret, 1), () => codes[4]]) {
    await page.goto(`${stack.base}${paths.signin}`)
    await enterCode(page, stack, email)
    await page.locator('[data-step=factor]').waitFor()
    assert.ok(await signedOut(page), 'one factor is not enough')
    await submit(page, 'factor', { code: code() })
    await arrive(page, paths.account)
    await page.locator('.account-nav button').click()
    await page.locator('.notice').waitFor()
  }
})

flow('change the address', {}, async ({ page }, stack) => {
  const email = address(), next = address()
  await signIn(page, stack, email, paths.security)
  await submit(page, 'email', { email: next })
  await submit(page, 'email-code', { code: (await mail(stack, next)).code })
  await page.locator('.notice', { hasText: t('account.done_email') }).waitFor()
  assert.equal(await page.locator('.account-email').first().textContent(), next)
  await page.locator('.account-nav button').click()
  await signIn(page, stack, next)
})

flow('what protects the account is changed after signing in again alone', {}, async ({ page, context }, stack) => {
  await signIn(page, stack, address(), paths.security)
  assert.equal(await form(page, 'password').count(), 1)
  await page.goto(`${stack.base}${paths.signin}?again=1&to=${paths.security}`)
  await page.getByRole('heading', { level: 1, name: t('signin.again_title') }).waitFor()
  const before = (await context.cookies()).find(({ name }) => name === '__Host-mm-auth').value
  await enterCode(page, stack, await page.locator('#email').inputValue())
  await page.waitForURL(url => url.pathname === paths.security)
  assert.notEqual(await session(page), before)
})
