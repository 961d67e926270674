/** What is looked for in pages is found in one that has it all. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { available, barriers, launch, layout, seenFocus, shifts, Visit, windows } from './browser.mjs'

const nowhere = { base: 'http://pages.test' }
const policy = "default-src 'none'; script-src 'self'; img-src 'self'; style-src 'self'"

const good = '<!DOCTYPE html><html lang="en"><title>A page</title><meta name="viewport" content="width=device-width"><body><main><h1>A page</h1><p>Words.</p></main>'
const bad = `${good}<p style="color:red">x</p><img src="/missing.png" width="10" height="10"><div id="wide" class="skeleton">x</div><button id="bare">press</button>
  <script src="/bad.js"></script>`
const script = `
  console.warn('beware')
  console.error('an error')
  wide.style.width = '5000px'
  bare.style.outline = 'none'
  setTimeout(() => { throw new Error('uncaught here') })
  requestAnimationFrame(() => setTimeout(() => {
    const late = document.createElement('div')
    late.style.height = '300px'
    document.body.prepend(late)
    requestAnimationFrame(() => requestAnimationFrame(() => document.body.setAttribute('data-moved', '')))
  }))
  fetch('/refused')`

let browser
before(async () => { if (available()) browser = await launch() })
after(() => browser?.close())

/** Opens a page that says something, in a visit of its own. */
async function visiting(t, html) {
  const visit = await Visit.open(browser, nowhere, { viewport: windows[0] })
  t.after(() => visit.close())
  await visit.context.route('**/*', route => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', headers: { 'Content-Security-Policy': policy }, body: html })
    if (pathname === '/bad.js') return route.fulfill({ contentType: 'text/javascript', body: script })
    if (pathname === '/missing.png') return route.fulfill({ status: 404 })
    return route.abort('connectionrefused')
  })
  await visit.page.goto(nowhere.base)
  return visit
}

const options = { skip: !available() && 'no Chromium', timeout: 120_000 }

test('a page that is well has no problems', options, async t => {
  const visit = await visiting(t, good)
  await visit.settled()
  visit.forgive(/favicon/)
  assert.deepEqual([...visit.unmeant, ...await layout(visit.page), ...await barriers(visit.page), ...await shifts(visit.page)], [])
})

test('what is wrong with a page is found', options, async t => {
  const visit = await visiting(t, bad)
  const { page } = visit
  await page.locator('body[data-moved]').waitFor()
  await page.waitForFunction(() => window.layoutMoved.length > 0)
  await visit.settled()
  const all = [...visit.unmeant, ...await layout(page), ...await shifts(page), ...await barriers(page)].join('\n')
  for (const form of [
    /^console: beware/m, /^console: an error/m, /^uncaught: Error: uncaught here/m, /^policy: style-src-attr refused inline/m, /^policy: connect-src refused/m,
    /^status: 404 .*missing\.png/m, /^layout: \d+ px wide/m, /^layout: a skeleton is left/m, /^layout: a picture is broken/m, /^shift: 0\./m, /^axe: image-alt/m
  ]) assert.match(all, form)
  visit.forgive(/./)
  assert.deepEqual(visit.unmeant, [])
})

test('a focus that is not seen is told apart from one that is', options, async t => {
  const { page } = await visiting(t, bad)
  await page.locator('body[data-moved]').waitFor()
  assert.equal(await seenFocus(page), null)
  await page.locator('#bare').focus()
  assert.equal(await seenFocus(page), null)
  await page.locator('#bare').evaluate(button => { button.style.outline = '2px solid' })
  assert.match(await seenFocus(page), /button#bare press/)
})
