/**
 * The browser, and what it is asked of every page: which of it went wrong while
 * it was looked at, and whether it can be read by everyone.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const path = process.env.CHROMIUM ?? '/usr/bin/chromium'

// Chromium without its windows, tabs and menus. It draws the same pages with three quarters of the processor time.
const shell = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'

// Tells the run which files failed, that may run them once more.
const failures = process.env.MIRAMUNDO_PAGES_FAILURES
if (failures) process.on('exit', code => { if (code) appendFileSync(failures, `${process.argv[1]}\n`) })

/** How long the browser waits for what must come. The machine of CI may be busy with other things. */
export const limit = process.env.CI ? 60_000 : 30_000

/** Notes that of the tests of this file only some failed, by their names. */
export function failedIn(name) {
  if (failures) appendFileSync(failures, `only ${name}\n`)
}

/** Reports whether there is a browser. Where everything is required, its absence is an error. */
export function available() {
  if (existsSync(path)) return true
  if (process.env.CI === 'true') throw new Error(`there is no Chromium at ${path}`)
  return false
}

/**
 * Starts the browser, which plays by itself no more than people's do. What is only looked at, and not used as people
 * do, is `drawn` by the shell of Chromium where that is installed.
 */
export function launch({ drawn = false } = {}) {
  return chromium.launch({ executablePath: drawn && existsSync(shell) ? shell : path, args: ['--no-sandbox', '--mute-audio'] })
}

/** The windows that pages are looked at in: a phone upright and sideways, a tablet, a laptop, a television. */
export const windows = [
  { width: 360, height: 780, touch: true },
  { width: 844, height: 390, touch: true },
  { width: 820, height: 1180, touch: true },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 }
]

const laptop = windows.find(({ width }) => width === 1280)

/**
 * A person's browser: a context of its own with one page, and a list of what
 * went wrong in it. What is meant to go wrong is forgiven: a form that the
 * problem matches.
 */
export class Visit {
  problems = []
  forgiven = [/\/api\/s\/[^ ]*[?&]ahead=1/] // a channel that may come next need not play

  /** Opens a context of the browser. Options are those of contexts. */
  static async open(browser, stack, options = {}) {
    const visit = new Visit()
    visit.base = stack.base
    visit.context = await browser.newContext({ viewport: laptop, reducedMotion: 'reduce', serviceWorkers: 'block', ...options })
    visit.context.setDefaultTimeout(limit)
    visit.context.setDefaultNavigationTimeout(limit)
    await visit.context.exposeBinding('tellProblem', (_, problem) => visit.note(problem))
    await visit.context.addInitScript(watch)
    visit.context.on('console', message => {
      if (message.text().startsWith('Service Worker registration blocked')) return // the requests of a worker are not those of a page
      if (message.type() === 'error' || message.type() === 'warning') {
        visit.note(`console: ${message.text()} (${message.location().url})`)
      }
    })
    visit.context.on('weberror', error => visit.note(`uncaught: ${error.error().stack ?? error.error()}`))
    visit.context.on('requestfailed', request => {
      const why = request.failure()?.errorText
      if (why !== 'net::ERR_ABORTED') visit.note(`request: ${why} ${request.url()}`) // the page itself took it back
    })
    visit.context.on('request', request => {
      if (new URL(request.url()).pathname === '/api/erro-cliente') visit.note(`beacon: ${request.postData()}`) // the page noticed an error in itself
    })
    visit.context.on('response', response => {
      if (response.status() >= 400) visit.note(`status: ${response.status()} ${response.url()}`)
    })
    visit.page = await visit.context.newPage()
    return visit
  }

  note(problem) {
    this.problems.push(problem)
  }

  /** Takes problems of a form as meant. */
  forgive(...forms) {
    this.forgiven.push(...forms)
  }

  /** The problems that nobody meant, once each. */
  get unmeant() {
    return [...new Set(this.problems)].filter(problem => !this.forgiven.some(form => form.test(problem)))
  }

  /** Opens a path of the service and waits until it is whole: nothing is being loaded any more. */
  async go(path) {
    const response = await this.page.goto(new URL(path, this.base).href)
    await this.settled()
    return response
  }

  /** Makes the browser that of another device, which has loaded nothing yet. */
  async become(window, theme) {
    await this.page.goto('about:blank') // what comes is not of the page that was shown
    this.cdp ??= await this.context.newCDPSession(this.page)
    await this.cdp.send('Network.clearBrowserCache')
    await this.cdp.send('Emulation.setTouchEmulationEnabled', { enabled: window.touch ?? false })
    await this.page.setViewportSize(sizeOf(window))
    await this.page.emulateMedia({ colorScheme: theme })
  }

  /** Gives the page that is shown another window, and waits until it is laid out in it. */
  async resize(window) {
    this.cdp ??= await this.context.newCDPSession(this.page)
    await this.cdp.send('Emulation.setTouchEmulationEnabled', { enabled: window.touch ?? false })
    await this.page.setViewportSize(sizeOf(window))
    await this.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  async settled() {
    await this.page.waitForLoadState('networkidle')
    await this.page.waitForFunction(() => document.fonts.status === 'loaded' && !document.querySelector('[aria-busy="true"]'))
  }

  /** Ends the visit. What a page asks for last may still be answered by a test: that answer is nobody's. */
  async close() {
    for (const of of [this.context, ...this.context.pages()]) await of.unrouteAll({ behavior: 'ignoreErrors' })
    await this.context.close()
  }
}

const sizeOf = ({ width, height }) => ({ width, height })

/** Runs in each page before its own scripts: tells of what the policy refused and remembers what moved. */
function watch() {
  document.addEventListener('securitypolicyviolation', event => {
    window.tellProblem(`policy: ${event.violatedDirective} refused ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`)
  })
  const moved = []
  window.layoutMoved = moved
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      const box = ({ x, y, width, height }) => `${x},${y} ${width}x${height}`
      const what = entry.sources.map(({ node, previousRect, currentRect }) => {
        const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement
        const of = element ? `${element.localName}${element.id && '#' + element.id}.${element.className?.baseVal ?? element.className}` : '?'
        return `${of} (${box(previousRect)} to ${box(currentRect)})`
      })
      moved.push({ value: entry.value, what })
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of WCAG 2.2 AA and good practice, and those of them that are about colours, which take half of the time. */
const everyone = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colours = ['color-contrast', 'link-in-text-block']

/**
 * Lists what of a page not everyone can read or use. `only` is "colours" for a page that was judged in its other
 * theme, and "all but colours" where these are as in a window that was judged.
 */
export async function barriers(page, { only } = {}) {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`)
  return page.evaluate(async ({ only, everyone, colours }) => {
    const rules = { 'target-size': { enabled: true } }
    if (only === 'all but colours') for (const rule of colours) rules[rule] = { enabled: false }
    const options = only === 'colours' ? { runOnly: { type: 'rule', values: colours } } : { runOnly: { type: 'tag', values: everyone }, rules }
    const result = await window.axe.run(document, { ...options, resultTypes: ['violations'] })
    return result.violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(node => {
      const why = [...node.any, ...node.all, ...node.none].map(check => check.message).join('; ')
      return `axe: ${id}: ${node.html.slice(0, 160)} (${why.slice(0, 240)})`
    }))
  }, { only, everyone, colours })
}

/** Shows a page in a theme, and waits until its colours have changed. */
export async function inTheme(page, theme) {
  await page.emulateMedia({ colorScheme: theme })
  await page.waitForFunction(() => document.getAnimations().every(a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity))
}

/** Lists what is wrong with how a page is laid out in its window. */
export async function layout(page) {
  await page.waitForFunction(() => !document.querySelector('#cards > .skeleton')) // a list that goes on has room for its next page
  return page.evaluate(() => {
    const wrong = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const wide = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > clientWidth + 1)
      const names = wide.slice(0, 3).map(e => `${e.localName}.${e.className?.baseVal ?? e.className}`)
      wrong.push(`layout: ${scrollWidth} px wide in a window of ${clientWidth}: ${names.join(', ')}`)
    }
    const left = [...document.querySelectorAll('.skeleton')].filter(e => e.checkVisibility())
    if (left.length > 0) wrong.push(`layout: a skeleton is left: ${left[0].outerHTML.slice(0, 120)}`)
    const empty = [...document.images].filter(i => i.complete && i.naturalWidth === 0 && i.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }))
    if (empty.length > 0) wrong.push(`layout: a picture is broken: ${empty[0].src}`)
    return wrong
  })
}

/** The most that a page may move by itself, as the layout shift score counts it. */
export const mostShift = 0.02

/** Lists what moved while a page was loaded, when it is more than a page may. */
export async function shifts(page) {
  const moved = await page.evaluate(() => window.layoutMoved)
  const sum = moved.reduce((sum, { value }) => sum + value, 0)
  return sum > mostShift ? [`shift: ${sum.toFixed(4)}: ${moved.map(m => `${m.value.toFixed(4)} ${m.what.join(' ')}`).join('; ')}`] : []
}

/**
 * Reports what has the focus, when it is seen that it has: an outline or a
 * shadow of it, of what it draws before or after itself, or of what it is in.
 * Returns null when the focus is nowhere or not to be seen.
 */
export function seenFocus(page) {
  return page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body) return null
    const drawn = style => (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none'
    const name = `${element.localName}${element.id && '#' + element.id} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)}`
    for (const part of [undefined, '::before', '::after']) {
      if (drawn(getComputedStyle(element, part))) return name
    }
    const around = element.closest('.search, .card, .chip, .stage, label, li')
    return around && drawn(getComputedStyle(around)) ? name : null
  })
}
