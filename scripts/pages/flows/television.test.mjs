/** A television: what is written is large enough for the couch, and nothing is wider than the screen. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

flow('pages are large on a television', { viewport: { width: 1920, height: 1080 }, hasTouch: true, isMobile: true }, async (visit) => {
  const { page } = visit
  for (const path of ['/de', '/de/laender', '/de/programm', `/de/sender/${testChannel}`, '/de/favoriten']) {
    await visit.go(path)
    const { size, width } = await page.evaluate(() => ({ size: parseFloat(getComputedStyle(document.body).fontSize), width: document.documentElement.scrollWidth }))
    assert.ok(size >= 24, `${path}: texts are ${size} px high`)
    assert.ok(width <= 1920, `${path} is ${width} px wide`)
  }
})
