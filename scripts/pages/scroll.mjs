/**
 * Scrolls the grid of the guide of 300 channels by script, down, sideways and both ways, in the window of a laptop and of
 * a phone, and tells for each frame how long it took and how much of the main thread it cost, which does not depend on
 * what else the machine does. At 60 frames a second there are 16.7 ms for a frame.
 *
 *   node scripts/pages/scroll.mjs http://127.0.0.1:8787
 */
import { launch } from './browser.mjs'
import { open } from './guide.mjs'

const base = process.argv[2] ?? 'http://127.0.0.1:8787'
const frames = 200
const windows = { laptop: { viewport: { width: 1280, height: 800 } }, phone: { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true } }
const ways = { down: [0, 50], sideways: [30, 0], both: [20, 30] } // pixels for each frame

const browser = await launch()
for (const [name, options] of Object.entries(windows)) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await open({ context, page, base }, 300)
  await page.waitForLoadState('networkidle')
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cost = async () => (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value
  for (const [way, by] of Object.entries(ways)) {
    const before = await cost()
    const seen = await page.evaluate(scroll, [...by, frames])
    const ms = 1000 * (await cost() - before) / frames
    console.log(`${name}, ${way}: ${ms.toFixed(1)} ms of the main thread a frame; ${seen.rate.toFixed(0)} frames a second on this machine; at most ${seen.cells} programmes in the document`)
  }
  await context.close()
}
await browser.close()

/** Scrolls for some frames, from the beginning. Runs in the page. */
function scroll([x, y, frames]) {
  const grid = document.querySelector('#grid')
  grid.scrollTo(0, 0)
  const begun = performance.now()
  let n = 0
  let cells = 0
  return new Promise(done => {
    requestAnimationFrame(function step() {
      grid.scrollBy(x, y)
      cells = Math.max(cells, grid.querySelectorAll('.tl-cell').length)
      if (++n < frames) requestAnimationFrame(step)
      else done({ rate: 1000 * n / (performance.now() - begun), cells })
    })
  })
}
