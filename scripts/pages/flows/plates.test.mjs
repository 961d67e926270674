/** Plates: a logo stands on the ground that it was drawn for, on cards that the server writes and on rows that scripts write. */
import assert from 'node:assert/strict'
import { card, flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

/** What is behind a logo, as it comes out. */
const behind = plate => plate.evaluate(box => {
  const fill = box.querySelector('.plate-fill') ?? box
  const own = box.getBoundingClientRect(), its = fill.getBoundingClientRect()
  if (Math.abs(own.width - its.width) > 1 || Math.abs(own.height - its.height) > 1) throw new Error('the colour does not reach the edges')
  return getComputedStyle(fill).backgroundColor
})

const night = 'rgb(20, 29, 60)' // the ground of the logo of the test channel, which fills its picture

for (const [colorScheme, dark] of [['light', 'rgb(42, 53, 49)'], ['dark', 'rgb(34, 44, 41)']]) {
  flow(`a white logo stands on a dark plate, and one that fills its picture on its own colour, in the ${colorScheme} theme`, { colorScheme }, async (visit, stack) => {
    const { page } = visit
    await visit.go('/en?q=miramundo&kind=all')
    const plates = { [testChannel]: night, [stack.station]: dark }
    for (const [id, colour] of Object.entries(plates)) {
      assert.equal(await behind(card(page, id).locator('.plate')), colour)
      await card(page, id).locator('[data-favorite]').click()
      await until(async () => await card(page, id).locator('[data-favorite]').getAttribute('aria-pressed') === 'true', 'it is a favorite')
    }
    await visit.go('/en/favorites')
    for (const [id, colour] of Object.entries(plates)) {
      assert.equal(await behind(page.locator(`[data-id="${id}"] .plate`)), colour)
    }
  })
}

flow('a plate without a logo shows the sign of its category behind the name', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en?categories=news')
  const plate = page.locator('#results .card .plate.bare').first()
  assert.match(await plate.locator('.plate-sign use').getAttribute('href'), /#news$/)
  const [letters, sign] = await Promise.all(['.letters-of', '.plate-sign'].map(part => plate.locator(part).evaluate(element => Number(getComputedStyle(element).zIndex) || 0)))
  assert.ok(letters > sign, 'the name is in front')
})
