/** What several people or devices do together: organizations, and a link that signs in another device. */
import assert from 'node:assert/strict'
import { address, form, mail, signIn, submit } from '../account.mjs'
import { barriers, layout, Visit, inTheme, windows } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { locales, text } from '../texts.mjs'

const t = (key, fields) => text('en', key, fields)
const done = (page, what) => page.locator('.notice', { hasText: t(`account.done_${what}`) }).waitFor()
const list = '/en/account/organizations'
const hostile = 'Rádio </bdi><script>alert(1)</script>'

/** Runs with a second person's browser, in which nothing may go wrong either. */
async function beside(first, stack, run) {
  const second = await Visit.open(first.context.browser(), stack)
  try {
    await run(second)
    assert.equal(second.unmeant.join('\n'), '')
  } finally {
    await second.close()
  }
}

flow('an organization has a library that members see and owners change', {}, async (visit, stack) => {
  const { page } = visit
  await signIn(page, stack, address(), list)
  await submit(page, 'create', { name: hostile })
  await done(page, 'organization')
  assert.equal(await page.locator('h1').textContent(), hostile)
  const { pathname } = new URL(page.url())

  await page.goto(`${stack.base}/en/favorites`)
  await page.locator('#owner select').selectOption({ label: hostile })
  const added = await page.evaluate(async id => {
    const { csrf } = await (await fetch('/api/auth/bootstrap')).json()
    const organization = sessionStorage.getItem('mm-organization').split(' ')[0]
    const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf, 'X-Organization': organization }
    return (await fetch('/api/favorites', { method: 'POST', headers, body: JSON.stringify({ channel_id: id }) })).status
  }, testChannel)
  assert.equal(added, 200)
  await page.reload()
  await page.locator(`#items [data-id="${testChannel}"] [data-favorite]`).waitFor()
  await page.locator('#owner select').selectOption('')
  await page.locator('#blank .empty').waitFor()

  await beside(visit, stack, async second => {
    const { page: other } = second
    const email = address()
    await page.goto(stack.base + pathname)
    await submit(page, 'invite', { email })
    await done(page, 'invited')
    await other.goto((await mail(stack, email)).link)
    await submit(other, 'join')
    await submit(other, 'mail', { email })
    await submit(other, 'code', { code: (await until(async () => (await mail(stack, email)).code, 'a code came')) })
    await other.waitForURL(url => url.pathname === '/en/invitation')
    await submit(other, 'join')
    await done(other, 'joined')
    assert.equal(await form(other, 'invite').count(), 0)

    await other.goto(`${stack.base}/en/favorites`)
    await other.locator('#owner select').selectOption({ label: hostile })
    await other.locator(`#items [data-id="${testChannel}"]`).waitFor()
    await other.getByText(t('owner.ui.read_only')).waitFor()
    assert.equal(await other.locator('#items button:visible').count(), 0)

    await page.reload()
    await submit(page, 'remove')
    await done(page, 'removed')
    second.forgive(/status: 403 .*\/api\/(favorites|library)/, /status of 403 .*\/api\/(favorites|library)/)
    await other.reload()
    await other.locator('#blank .empty').waitFor()
    assert.equal(await other.locator('#owner select').count(), 0)
  })
})

/** Sends a form as it is sent before the script of its page is there. */
const early = (page, id) => page.locator(`#${id}`).evaluate(form => form.submit())

for (const soon of ['', ' before the scripts are there']) flow(`a phone signs in by the code of another device${soon}`, {}, async (visit, stack) => {
  const { page } = visit
  await signIn(page, stack, address(), '/en/account/devices')
  if (soon) await early(page, 'make')
  else await page.locator('#make button').click()
  const code = await page.locator('.device-code').textContent()
  await beside(visit, stack, async ({ page: phone }) => {
    await phone.goto(`${stack.base}/en/device`)
    await phone.keyboard.type(code.toLowerCase())
    if (soon) await early(phone, 'claim')
    else await phone.keyboard.press('Enter')
    const digits = await phone.locator('.device-code').textContent()
    await page.getByRole('button', { name: t('devicelink.ui.confirm') }).waitFor()
    assert.equal(await page.locator('.device-code').textContent(), digits)
    await page.keyboard.press('Enter')
    await phone.waitForURL(url => url.pathname === '/en/library')
    assert.equal(await phone.evaluate(async () => (await fetch('/api/me')).status), 200)
  })
})

flow('the pages of organizations and devices in each language, theme and width', {}, async (visit, stack) => {
  const { page } = visit
  await signIn(page, stack, address(), list)
  await submit(page, 'create', { name: hostile })
  await done(page, 'organization')
  await submit(page, 'invite', { email: address() })
  await done(page, 'invited')
  const paths = [list, new URL(page.url()).pathname, '/en/account/devices', '/en/device']
  for (const path of paths) {
    for (const locale of Object.keys(locales)) {
      await visit.go(path)
      const here = page.locator(`.languages a[hreflang="${locales[locale]}"]`)
      await visit.go(await here.getAttribute('href'))
      for (const [n, window] of [windows[0], windows[3]].entries()) {
        await page.setViewportSize(window)
        for (const [m, theme] of ['dark', 'light'].entries()) {
          await inTheme(page, theme)
          const judged = locale === 'pt' || n + m === 0 // no language changes colours
          const wrong = [...await layout(page), ...judged ? await barriers(page, m > 0 ? { only: 'colours' } : {}) : []]
          assert.equal(wrong.join('\n'), '', `${page.url()} at ${window.width} in its ${theme} theme`)
        }
      }
    }
  }
})
