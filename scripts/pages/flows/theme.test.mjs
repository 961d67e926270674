/** What one chose stays, and languages keep the page. */
import assert from 'node:assert/strict'
import { at, flow } from '../flow.mjs'
import { pages, pathIn } from '../pages.mjs'
import { locales, text } from '../texts.mjs'

const ground = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

flow('a theme stays over pages and reloads', { colorScheme: 'light' }, async ({ page }, stack) => {
  await page.goto(`${stack.base}/en`)
  const light = await ground(page)
  await page.locator('#prefs > summary').click()
  const theme = page.locator('[data-theme-switch]')
  await theme.click()
  const dark = await ground(page)
  assert.notEqual(dark, light, 'the first click changes what is seen')
  await page.reload()
  assert.equal(await ground(page), dark)
  await page.goto(`${stack.base}/de/anleitung`)
  assert.equal(await ground(page), dark)
  await page.locator('#prefs > summary').click()
  await theme.click()
  assert.equal(await ground(page), light)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.equal(await ground(page), dark, 'what is as the system has it follows the system')
  await theme.click()
  await page.reload()
  assert.equal(await ground(page), light, 'what is chosen goes before what the system says')
})

flow('languages keep the page', {}, async ({ page }, stack) => {
  for (const kind of pages.filter(({ name }) => ['home', 'country', 'countries', 'channel', 'guide', 'about', 'library'].includes(name))) {
    await page.goto(new URL(kind.path(stack), stack.base).href)
    for (const [locale, lang] of Object.entries(locales)) {
      const path = await pathIn(stack, kind, locale)
      await page.locator('#prefs > summary').click()
      await page.locator('.languages').getByRole('link', { name: text(locale, 'layout.language_name'), exact: true }).click()
      await at(page, url => url.pathname + url.search === path, path)
      assert.equal(await page.locator('html').getAttribute('lang'), lang)
      assert.equal(await page.locator('body').getAttribute('data-page'), kind.page)
    }
  }
})

flow('a language keeps what is searched for, and its menu closes', {}, async ({ page }, stack) => {
  await page.goto(`${stack.base}/en?q=arte&kind=tv`)
  const menu = page.locator('#prefs')
  const open = () => menu.evaluate(menu => menu.open)
  await menu.locator('summary').focus()
  await page.keyboard.press('Enter')
  assert.equal(await open(), true)
  await page.keyboard.press('Escape')
  assert.equal(await open(), false)
  assert.equal(await page.evaluate(() => document.activeElement.localName), 'summary')
  await menu.locator('summary').click()
  await page.locator('h1').first().click()
  assert.equal(await open(), false)
  await menu.locator('summary').click()
  await menu.getByRole('link', { name: text('de', 'layout.language_name'), exact: true }).click()
  await at(page, ({ pathname, search }) => pathname === '/de' && search === '?q=arte&kind=tv', 'that of the same search in German')
})
