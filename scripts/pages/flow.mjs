/** What people do with the pages, each in a browser of their own; the tests in flows/ tell it step by step. */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { available, launch, limit, Visit } from './browser.mjs'
import { gone, testChannel } from './pages.mjs'
import { root, shared } from './stack.mjs'

let browser
let begun = false // whether the hooks of the browser are registered

/** Starts a browser for the flows of a file that declares one: the runner, which imports this too, needs none and would wait for it. */
function begin() {
  if (begun) return
  begun = true
  before(async () => { if (available()) browser = await launch() })
  after(() => browser?.close())
}

/**
 * Declares something that people do. It is given a visit of its own and the
 * stack; whatever goes wrong in the page, unforgiven, fails it too. Of what
 * failed a picture is left. Options are those of contexts; `on` starts another
 * stack than the shared one.
 */
export function flow(name, options, run) {
  begin()
  test(name, { skip: !available() && 'no Chromium', timeout: 240_000 }, async t => {
    const { on, ...rest } = options
    const stack = on ? await on(t) : shared()
    const visit = await Visit.open(browser, stack, rest)
    try {
      await run(visit, stack)
      assert.equal(visit.unmeant.join('\n'), '')
    } catch (error) {
      const picture = await picturing(visit, name)
      if (visit.unmeant.length > 0) error.message += `\nbesides:\n${visit.unmeant.join('\n')}`
      error.message += `\nat ${visit.page.url()}, as in ${picture}`
      throw error
    } finally {
      await visit.close()
    }
  })
}

async function picturing(visit, name) {
  const folder = join(root, 'bin', 'pages', 'failed')
  await mkdir(folder, { recursive: true })
  let path = join(folder, `${name.replace(/[^a-z0-9]+/gi, '-')}.png`)
  await visit.page.screenshot({ path, timeout: 5000 }).catch(error => { path = `no picture: ${error.message}` })
  return path
}

/** Waits until a check holds, and returns what it returned. Its last error is told when it never does. */
export async function until(check, what) {
  const end = Date.now() + limit
  for (;;) {
    try {
      const value = await check()
      if (value) return value
      if (Date.now() > end) throw new Error(`it never came to be that ${what}`)
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Waits until the stage has played so many seconds of what it plays: the media really advanced. */
export function plays(page, seconds = 3) {
  return page.waitForFunction(seconds => {
    const media = document.querySelector('#stage video, #stage audio')
    if (!media || media.paused) return false
    let played = 0
    for (let i = 0; i < media.played.length; i++) played += media.played.end(i) - media.played.start(i)
    return played >= seconds
  }, seconds)
}

/** Lets nothing but the test channel play, wherever this runs: of other streams the hop says that they are gone. */
export async function onlyTestPlays(visit, stack) {
  const record = await (await fetch(new URL(`/api/channels/${testChannel}`, stack.base))).json()
  const own = new Set(record.streams.map(({ id }) => id))
  await visit.context.route(`${stack.hop}/api/s/**`, route => {
    const id = decodeURIComponent(new URL(route.request().url()).pathname.split('/').pop()).replace(/\.m3u8$/, '')
    return own.has(id) ? route.continue() : gone(route)
  })
  visit.forgive(/\/api\/s\//)
}

/** The card of a channel in a list. */
export const card = (page, id) => page.locator(`li.card[data-id="${id}"]`)

/** The link of a card, which opens its channel. */
export const cardLink = (page, id) => card(page, id).locator('a.card-link')

/** The ids of the cards that are shown, in their order. */
export const cards = page => page.locator('#results li.card[data-id]').evaluateAll(all => all.filter(card => !card.closest('#near, #continue')).map(card => card.dataset.id))

/** Waits until the browser is at a path and a query, as a test tells them: every state has an address. */
export const at = (page, check, what) => until(() => check(new URL(page.url())), `the address is ${what}, which is ${page.url()}`)
