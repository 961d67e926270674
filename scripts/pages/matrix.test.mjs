/**
 * Every page, in each language, in both themes and in the windows of a phone, a
 * laptop and (in two languages) a television: nothing goes wrong while it is loaded, nothing moves,
 * nothing is wider than the window, and everyone can read and use it.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { available, barriers, failedIn, inTheme, launch, layout, shifts, Visit, windows } from './browser.mjs'
import { pages, pathIn } from './pages.mjs'
import { shared } from './stack.mjs'
import { locales } from './texts.mjs'

const shots = process.env.MIRAMUNDO_PAGES_SHOTS
const only = process.env.MIRAMUNDO_PAGES_ONLY?.split(',') // such as home, .de or home.de

describe('every page', { skip: !available() && 'no Chromium', concurrency: 3 }, () => {
  const stack = shared()
  let browser
  before(async () => {
    browser = await launch()
    if (shots) await mkdir(shots, { recursive: true })
  })
  after(() => browser.close())

  for (const page of pages) {
    for (const locale of page.locales ?? Object.keys(locales)) {
      if (only && !only.includes(page.name) && !only.includes(`${page.name}.${locale}`) && !only.includes(`.${locale}`)) continue
      test(`${page.name} in ${locale}`, async () => {
        const path = await pathIn(stack, page, locale)
        const visit = await Visit.open(browser, stack, { viewport: windows[0], locale: locales[locale] })
        try {
          await page.prepare?.(visit, stack)
          const wrong = []
          for (const [n, window] of windowsOf(page, locale).entries()) {
            const first = n === 0 ? 'dark' : 'light' // each theme is what some page is loaded in
            const found = [...await look(visit, page, locale, path, window, first), ...visit.unmeant]
            wrong.push(...found.map(problem => `${window.width} px: ${problem}`))
            visit.problems = []
          }
          assert.equal(wrong.join('\n'), '')
        } catch (error) {
          failedIn(`${page.name}.${locale}`)
          throw error
        } finally {
          await visit.close()
        }
      })
    }
  }
})

/** Two languages show how a page looks; the rest are looked at where a longer word could break it. */
const fully = ['pt', 'en']

/** The windows that a page is looked at in. One that is slow to draw has few in most languages. */
function windowsOf(page, locale) {
  if (fully.includes(locale)) return page.paths ? windows.slice(0, 2) : windows
  return windows.slice(0, page.slow ? 1 : 2)
}

/** Loads a page in a window and in one theme, looks at it in both, and lists what is wrong. */
async function look(visit, page, locale, path, window, first) {
  await visit.become(window, { touch: window.width < 600, theme: first })
  const response = await visit.go(path)
  const wrong = await shifts(visit.page)
  await page.then?.(visit, locale)
  wrong.push(...await outline(visit.page, page, locale, response))
  for (const theme of [first, first === 'dark' ? 'light' : 'dark']) {
    await inTheme(visit.page, theme)
    wrong.push(...await layout(visit.page))
    if (window.width !== 1920) wrong.push(...await barriers(visit.page, { again: theme !== first }))
    await shoot(visit.page, page, locale, window, theme)
  }
  return wrong
}

/** Lists what is wrong with what a page says it is. */
async function outline(page, { name, page: kind }, locale, response) {
  const is = await page.evaluate(() => ({
    lang: document.documentElement.lang, headings: document.querySelectorAll('h1').length, kind: document.body.dataset.page,
    title: document.title, main: document.querySelectorAll('main').length
  }))
  const must = { lang: locales[locale], headings: 1, kind, title: is.title, main: 1, status: name === 'missing' ? 404 : 200 }
  const wrong = Object.keys(must).filter(key => ({ ...is, status: response.status() })[key] !== must[key])
  if (is.title.trim().length < 12) wrong.push('title')
  return wrong.map(key => `outline: ${key} is ${JSON.stringify({ ...is, status: response.status() }[key])}, not ${JSON.stringify(must[key])}`)
}

/** Pictures are kept of all windows and themes in two languages; of the rest, enough to see them. */
async function shoot(page, { name }, locale, window, theme) {
  if (!shots || (!fully.includes(locale) && theme === 'dark')) return
  const path = join(shots, `${name}.${locale}.${window.width}.${theme}.jpg`)
  const picture = { path, type: 'jpeg', quality: 78 }
  if (window.width < 600) return page.screenshot(picture) // its bar at the bottom stands where the window ends
  const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), window.height * 2)
  return page.screenshot({ ...picture, fullPage: true, clip: { x: 0, y: 0, width: window.width, height: Math.max(height, window.height) } })
}
