/** What the tests of accounts need: mails, codes of an authenticator app, and browsers that are signed in. */
import { createHmac } from 'node:crypto'
import { flow, until } from './flow.mjs'
import { addressHeader } from './stack.mjs'

let made = 0

/** Returns an e-mail address that no other test uses. */
export const address = () => `maria.${process.pid}.${made++}@example.org`

/** Headers of a network that no other test uses: each may ask for only so many mails. */
export const network = () => ({ [addressHeader]: `10.${process.pid >> 8 & 255}.${process.pid & 255}.${made++ % 256}` })

/** Declares something that people do with an account, each in a network of their own. */
export const accountFlow = (name, options, run) => flow(name, { extraHTTPHeaders: network(), ...options }, run)

/** Opens another browser of the same person, as `use` needs it. */
export async function elsewhere(page, use, options = {}) {
  const context = await page.context().browser().newContext({ serviceWorkers: 'block', extraHTTPHeaders: network(), ...options })
  try {
    return await use(await context.newPage())
  } finally {
    await context.close()
  }
}

/** Waits for the newest mail to an address that has a code or a link, and that was not seen before. */
export function mail(stack, to, seen = new Set()) {
  return until(async () => {
    const { mails } = await (await fetch(new URL('/dev/mail?format=json', stack.base))).json()
    const found = mails.find(mail => mail.to === to && !seen.has(mail.name))
    if (found) seen.add(found.name)
    return found
  }, `a mail came to ${to}`)
}

/** Returns what an authenticator app shows for a secret in base32, some steps of 30 seconds from now. */
export function totp(secret, steps = 0) {
  const bits = [...secret.replaceAll(' ', '')].map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map(byte => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac[19] & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/**
 * Signs somebody in over the API, and returns the cookies of the session: for pages
 * that are only looked at.
 */
export async function cookies(stack) {
  const kept = new Map()
  const call = async (path, body, token) => {
    const headers = { ...network(), Origin: stack.base, Cookie: [...kept].map(pair => pair.join('=')).join('; '), 'Content-Type': 'application/json', ...(token && { 'X-CSRF-Token': token }) }
    const answer = await fetch(new URL(path, stack.base), { method: body ? 'POST' : 'GET', headers, ...(body && { body: JSON.stringify(body) }) })
    for (const line of answer.headers.getSetCookie()) kept.set(...line.split(';')[0].split(/=(.*)/s).slice(0, 2))
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const email = address()
  const { csrf } = await call('/api/auth/bootstrap')
  const { challenge } = await call('/api/auth/email/start', { email }, csrf)
  await call('/api/auth/email/finish', { challenge, code: (await mail(stack, email)).code }, csrf)
  return [...kept].map(([name, value]) => ({ name, value, domain: new URL(stack.base).hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }))
}

/** The paths of the pages of accounts in English. */
export const paths = {
  signin: '/en/sign-in', account: '/en/account', security: '/en/account/security', sessions: '/en/account/sessions', keys: '/en/account/keys', privacy: '/en/account/privacy'
}

/** The form of an action on the page. */
export const form = (page, action) => page.locator('form').filter({ has: page.locator(`input[name="do"][value="${action}"]`) })

/** Fills in a form and sends it. Fields are given by name. */
export async function submit(page, action, fields = {}) {
  const it = form(page, action).last()
  for (const [name, value] of Object.entries(fields)) await it.locator(`[name="${name}"]`).fill(value)
  await it.locator('button').last().click()
}

/** Signs a browser in by the code of a mail, with or without scripts, and leaves it at a page. */
export async function signIn(page, stack, email, to = paths.account) {
  await page.goto(`${stack.base}${paths.signin}?to=${encodeURIComponent(to)}`)
  await enterCode(page, stack, email)
  await arrive(page, to)
}

/** Asks for a mail on the sign-in page and types its code. */
export async function enterCode(page, stack, email) {
  await submit(page, 'mail', { email })
  await page.locator('[data-step=code]').waitFor()
  await submit(page, 'code', { code: (await mail(stack, email)).code })
}

/** Waits until a browser that has just signed in is at a page; without scripts, it follows the link. */
export async function arrive(page, to) {
  await page.waitForURL(url => url.pathname === new URL(to, url).pathname || url.pathname === paths.signin)
  const on = page.locator('#go-on')
  if (!(await page.evaluate(() => document.documentElement.classList.contains('js')).catch(() => true)) && await on.count() > 0) await on.click()
  await page.waitForURL(url => url.pathname === new URL(to, url).pathname)
}
