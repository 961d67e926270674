/**
 * Every page, in each language, in both themes and in the windows of phones, a
 * tablet, a laptop and a television: nothing goes wrong while it is loaded,
 * nothing moves, nothing is wider than the window, and everyone can read and use it.
 *
 * A page is loaded for a phone in every language, and for every window in one; one of texts and forms alone
 * for a phone and a laptop. Otherwise the window of the loaded page becomes that of each other
 * device: the text is what differs there, and it is laid out anew. Colours are
 * judged in both themes, on a phone upright and sideways and on a laptop, in one language: no text changes them.
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

describe('every page', { skip: !available() && 'no Chromium', concurrency: 2 }, () => {
  const stack = shared()
  let browser
  before(async () => {
    browser = await launch({ drawn: true })
    const first = await Visit.open(browser, stack) // the first page of a browser that just began, on a busy machine, may be drawn without its styles for a moment
    await first.go('/').finally(() => first.close())
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
            const theme = n % 2 === 0 ? 'dark' : 'light' // each theme is what some page is loaded in
            const first = locale === (page.locales?.[0] ?? loaded)
            const loads = n === 0 || locale === loaded && (!page.plain || window === laptop)
            const colours = !first ? 0 : window === phone || window === laptop ? 2 : window === sideways ? 1 : 0
            const found = loads ? await load(visit, page, locale, path, window, theme, colours) : await resize(visit, page, locale, window, first)
            wrong.push(...[...found, ...visit.unmeant].map(problem => `${window.width} px: ${problem}`))
            visit.problems = []
          }
          wrong.push(...await narrow(visit))
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

/** The language that pages are loaded in for every window, and those whose pictures are kept. */
const loaded = 'pt'
const pictured = ['pt', 'de']

const [phone, sideways, tablet, laptop, television] = windows

/** The windows that a page is looked at in. One with an address in each language is an owner's own, and has two of them. */
function windowsOf(page, locale) {
  if (page.slow && locale !== loaded) return [phone]
  if (page.paths) return locale === loaded || locale === 'de' ? [phone, laptop] : [phone]
  return [phone, sideways, tablet, laptop, television]
}

/** Loads a page in a window and in one theme, and lists what is wrong. Its colours are judged in so many themes. */
async function load(visit, page, locale, path, window, first, colours) {
  await visit.become(window, first)
  const response = await visit.go(path)
  const wrong = await shifts(visit.page)
  await page.then?.(visit, locale)
  wrong.push(...await outline(visit.page, page, locale, response), ...await layout(visit.page), ...await barriers(visit.page, colours === 0 ? { only: 'all but colours' } : {}))
  await shoot(visit.page, page, locale, window, first)
  if (colours < 2 && !shots) return wrong
  const other = first === 'dark' ? 'light' : 'dark'
  await inTheme(visit.page, other)
  if (colours === 2) wrong.push(...await barriers(visit.page, { only: 'colours' }))
  await shoot(visit.page, page, locale, window, other)
  return wrong
}

/** Gives the page that is shown another window, and lists what is wrong in that; where nobody loads it so, also for whom. */
async function resize(visit, page, locale, window, judged) {
  await visit.resize(window)
  const wrong = [...await layout(visit.page), ...judged ? await barriers(visit.page, { only: 'all but colours' }) : []]
  await shoot(visit.page, page, locale, window, 'light')
  return wrong
}

/** Lists what is wrong in the narrowest window that a page must fit in. */
async function narrow(visit) {
  await visit.resize({ width: 280, height: 653, touch: true })
  return (await layout(visit.page)).map(problem => `280 px: ${problem}`)
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

/** Pictures, where somebody looks at them, are kept of all windows in two languages; of the rest, enough to see them. */
async function shoot(page, { name }, locale, window, theme) {
  if (!shots || (!pictured.includes(locale) && (theme === 'dark' || window !== windows[0]))) return
  const path = join(shots, `${name}.${locale}.${window.width}.${theme}.jpg`)
  const picture = { path, type: 'jpeg', quality: 78 }
  if (window.touch) return page.screenshot(picture) // its bar at the bottom stands where the window ends
  const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), window.height * 2)
  return page.screenshot({ ...picture, fullPage: true, clip: { x: 0, y: 0, width: window.width, height: Math.max(height, window.height) } })
}
