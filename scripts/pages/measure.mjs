/**
 * Measures the pages on a slow phone: a processor as slow as that of a phone of
 * the middle class, and a network of 150 ms and 1.6 Mbit/s. It prints when each
 * page is seen, how fast it answers, what moves in it and what it weighs, and
 * fails over the limits; over those of time, which a busy machine may miss, and
 * of what moves meanwhile, only with --strict. --slower is how many times slower than this machine the phone
 * is; without it the machine is measured first, and made as slow.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { available, launch, limit, mostShift } from './browser.mjs'
import { station, testChannel } from './pages.mjs'
import { build, start } from './stack.mjs'

const { values: { strict, slower: asked, stack: given } } = parseArgs({
  options: { strict: { type: 'boolean' }, slower: { type: 'string' }, stack: { type: 'string' } }
})

/** What a page may take: milliseconds, bytes without players and logos, and the score of what moves. */
const limits = { fcp: 1200, lcp: 1200, inp: 80, cls: mostShift, weight: 120_000, script: 45_000 }
const timed = new Set(['fcp', 'lcp', 'inp', 'cls']) // of which one sample says little

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }
const network = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 }
const times = strict ? 3 : 1 // of which the middle counts: weights are the same each time

/** What is loaded for a stream or for a tool: players, and the map of the globe. */
const foreign = /\/assets\/(hls|mpegts|dash|sortable|qrcode|globe-[0-9a-f]+\.json)/i

const vitals = readFileSync(createRequire(import.meta.url).resolve('web-vitals').replace(/[^/]+$/, 'web-vitals.attribution.iife.js'), 'utf8')

let slower // how many times, once it is known

process.exitCode = available() ? await main() : 0

async function main() {
  const stack = given ? { ...JSON.parse(readFileSync(given, 'utf8')), stop() {} } : await build().then(() => start())
  const browser = await launch()
  try {
    slower = asked ? Number(asked) : await slowness(browser)
    if (!(slower >= 1 && slower <= 20)) throw new Error(`--slower=${asked}: want 1 to 20`)
    console.log(`a phone ${slower.toFixed(1)} times slower than this machine`)
    const kinds = [
      { name: 'home', path: '/', use: search },
      { name: 'a search', path: '/?q=news', use: menu },
      { name: 'a country', path: '/brasil', use: choose },
      { name: 'a channel', path: `/canal/${testChannel}`, use: choose },
      { name: 'a station', path: `/canal/${await station(stack.base)}`, use: menu },
      { name: 'the timeline', path: '/programacao?view=timeline', use: menu },
      { name: 'the globe', path: '/explorar', use: menu },
      { name: 'the library', path: '/biblioteca', use: menu },
      { name: 'the guide', path: '/como-usar', use: menu }
    ]
    const rows = []
    for (const kind of kinds) rows.push(await middle(browser, stack, kind))
    return tell(rows)
  } finally {
    await browser.close()
    await stack.stop()
  }
}

/**
 * Returns how many times slower than this machine a phone of the middle class is,
 * as Lighthouse's guide to throttling says to calibrate: by a BenchmarkIndex, for
 * which strings are grown and arrays copied. Of 800 a machine is twice as fast
 * as the phone, of 1300 three times.
 */
async function slowness(browser) {
  const page = await browser.newPage()
  const index = async () => page.evaluate(() => {
    const perSecond = work => {
      const start = performance.now()
      let n = 0, took = 0
      for (; took < 500; n++, took = performance.now() - start) work(n)
      return n / took * 1000
    }
    const from = Array.from({ length: 100_000 }, (_, i) => i), to = [...from]
    const strings = perSecond(() => { let s = ''; for (let i = 0; i < 10_000; i++) s += 'a'; if (s.length === 1) throw s })
    const copies = perSecond(n => { const [a, b] = n % 2 ? [from, to] : [to, from]; for (let i = 0; i < a.length; i++) b[i] = a[i] })
    return (strings + copies) / 20
  })
  const all = []
  for (let n = 0; n < 3; n++) all.push(await index())
  await page.close()
  const [, middle] = all.sort((a, b) => a - b)
  return middle >= 1300 ? 3 + (middle - 1300) / 233 : middle >= 800 ? 2 + (middle - 800) / 500 : 1 + Math.max(0, middle - 150) / 650
}

/** Measures a page some times, each in a browser that knows nothing of it, and returns the middle of each figure. */
async function middle(browser, stack, kind) {
  const all = []
  for (let n = 0; n < times; n++) all.push(await once(browser, stack, kind))
  const of = key => all.map(figures => figures[key]).sort((a, b) => a - b)[Math.floor(times / 2)]
  const what = { lcp: all.find(({ lcp }) => lcp === of('lcp')).what.LCP, inp: all.find(({ inp }) => inp === of('inp')).what.INP }
  return { name: kind.name, what, ...Object.fromEntries(Object.keys(all[0]).filter(key => key !== 'what').map(key => [key, of(key)])) }
}

async function once(browser, stack, { path, use }) {
  const context = await browser.newContext(phone)
  try {
    context.setDefaultTimeout(limit)
    await context.addInitScript(`${vitals}; window.figures = { fcp: NaN, lcp: NaN, cls: 0, inp: 0, what: {} }
      for (const name of ['FCP', 'LCP', 'CLS', 'INP']) {
        webVitals['on' + name](({ value, attribution }) => {
          figures[name.toLowerCase()] = value
          const parts = ['inputDelay', 'processingDuration', 'presentationDelay'].filter(part => part in attribution)
          figures.what[name] = [attribution.target, attribution.interactionTarget, attribution.interactionType,
            ...parts.map(part => part + ' ' + Math.round(attribution[part]) + ' ms')].filter(Boolean).join(', ')
        }, { reportAllChanges: true, durationThreshold: 0 })
      }`)
    const page = await context.newPage()
    const weigh = await scales(context, page)
    await page.goto(new URL(path, stack.base).href)
    await page.waitForLoadState('networkidle')
    const weight = weigh()
    const seen = await page.evaluate(() => window.figures)
    await use(page)
    const { inp, cls, what } = await page.evaluate(() => window.figures)
    return { fcp: seen.fcp, lcp: seen.lcp, inp, cls, ...weight, what: { LCP: seen.what.LCP, INP: what.INP } }
  } finally {
    await context.close()
  }
}

/** Slows a page down, and returns what tells how many bytes it has loaded: all with their headers, but scripts as they are packed. */
async function scales(context, page) {
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', network)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const requests = new Map()
  session.on('Network.responseReceived', ({ requestId, response, type }) => requests.set(requestId, { type, url: response.url, bytes: 0, body: 0 }))
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) requests.get(requestId).body += encodedDataLength
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) requests.get(requestId).bytes = encodedDataLength
  })
  return () => {
    const all = [...requests.values()].filter(({ url }) => !foreign.test(url))
    const sum = (which, part = 'bytes') => all.filter(which).reduce((sum, request) => sum + request[part], 0)
    const logo = ({ type, url }) => type === 'Image' && !url.includes('/assets/')
    return {
      weight: sum(request => !logo(request)), script: sum(({ type }) => type === 'Script', 'body'), page: sum(({ type }) => type === 'Document'),
      style: sum(({ type }) => type === 'Stylesheet'), images: sum(logo),
      requests: all.length
    }
  }
}

/** Types a word as people do, letter by letter, and waits for what it finds. */
async function search(page) {
  const field = page.locator('#q')
  await tap(page, field)
  await field.pressSequentially('world', { delay: 120 })
  await page.waitForFunction(() => new URLSearchParams(location.search).get('q') === 'world')
  await page.waitForLoadState('networkidle')
  await menu(page)
}

/** Taps as a finger does. The tap of a locator looks first what it will hit, from within the page, and that would be measured too. */
async function tap(page, what) {
  let at
  for (let last; !at || at.x !== last?.x || at.y !== last.y;) { // what is drawn when it comes into sight may move it
    last = at
    await what.evaluate(element => element.scrollIntoView({ block: 'center' }))
    await page.waitForFunction(() => !document.querySelector('.card.skeleton')) // a list goes on when its end comes into sight
    await still(page)
    at = await what.boundingBox()
  }
  await page.touchscreen.tap(at.x + at.width / 2, at.y + at.height / 2)
}

/** Waits until what happened is painted. */
async function still(page) {
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
}

/** Opens the menu of languages and themes, which every page has, and closes it. */
async function menu(page) {
  await page.keyboard.press('Escape')
  const button = page.locator('#prefs > summary')
  await tap(page, button)
  await page.locator('#prefs[open]').waitFor()
  await tap(page, button)
  await page.locator('#prefs:not([open])').waitFor()
  await still(page)
}

/** Taps what opens a dialog, and once more where the page moved under the finger. */
async function press(page, what) {
  const dialog = page.locator('dialog[open]')
  for (let left = 2; left > 0; left--) {
    await tap(page, what)
    if (await dialog.waitFor({ timeout: limit / 4 }).then(() => true, () => false)) return
  }
  await tap(page, what)
  await dialog.waitFor()
}

/** Opens the choice of a folder, and closes it. */
async function choose(page) {
  await press(page, page.locator('[data-keep]:visible').first())
  await page.locator('dialog[open] input').first().waitFor()
  await menu(page)
}

/** Prints the figures, and returns how the measurement ended. */
function tell(rows) {
  const ms = n => `${Math.round(n)} ms`, kb = n => `${(n / 1000).toFixed(1)} KB`
  const columns = { fcp: ms, lcp: ms, inp: ms, cls: n => n.toFixed(4), weight: kb, script: kb, page: kb, style: kb, images: kb, requests: String }
  const line = cells => console.log(cells.map((cell, n) => n === 0 ? cell.padEnd(12) : cell.padStart(10)).join(''))
  line(['', ...Object.keys(columns)])
  for (const row of rows) line([row.name, ...Object.entries(columns).map(([key, write]) => write(row[key]) + (row[key] <= (limits[key] ?? Infinity) ? '' : '!'))])
  line(['at most', ...Object.entries(columns).map(([key, write]) => key in limits ? write(limits[key]) : '')])
  const over = rows.flatMap(row => Object.keys(limits).filter(key => !(row[key] <= limits[key])).map(key => ({ name: row.name, key })))
  for (const { name, key } of over) {
    const what = rows.find(row => row.name === name).what[key]
    console.log(`${name}: ${key}${what ? ` (${what})` : ''} is over the limit${timed.has(key) && !strict ? ', which may be of this machine' : ''}`)
  }
  return over.some(({ key }) => strict || !timed.has(key)) ? 1 : 0
}
