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
    const small = await page.locator('main').evaluate(main => [...main.querySelectorAll('.count, .card-meta, .small, .soft')].filter(text => text.checkVisibility() && parseFloat(getComputedStyle(text).fontSize) < 24).map(text => text.textContent))
    assert.deepEqual(small, [], `${path} has small print`)
  }
  for (const path of ['/', '/en', '/es', '/fr', '/de']) {
    await visit.go(path)
    const { hint, room } = await page.locator('#q').evaluate(field => {
      const style = getComputedStyle(field)
      const pen = document.createElement('canvas').getContext('2d')
      pen.font = style.font
      return { hint: pen.measureText(field.placeholder).width, room: field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) }
    })
    assert.ok(hint <= room, `${path}: the hint of the search field is ${hint} px wide, and has ${room}`)
    const bar = await page.locator('.top').evaluate(top => [top.scrollHeight - top.clientHeight, top.scrollWidth - top.clientWidth])
    assert.deepEqual(bar, [0, 0], `${path}: what is in the bar at the top fits`)
  }
  await visit.go('/de')
  const tiles = await page.locator('.shelf:visible').first().locator('.card').evaluateAll(cards => cards.filter(card => card.getBoundingClientRect().right <= innerWidth).length)
  assert.ok(tiles >= 5 && tiles <= 7, `${tiles} tiles fill a row`)
  const second = await page.locator('.shelf:visible').nth(1).evaluate(shelf => shelf.getBoundingClientRect().top)
  assert.ok(second < 1080 - 150, `the second shelf begins at ${second} px`)
})
