/** Where a channel works: the map, the list beside it, and how little is shown when nothing is known. */
import assert from 'node:assert/strict'
import { barriers } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const region = (country, plays, fails, health) => ({ country, plays, fails, health })
const regions = [region('BR', 90, 10, 90), region('US', 10, 10, 50), region('DE', 0, 9, 0), region('MT', 3, 0, 100), region('RE', 1, 0, null), region('ZZ', 1, 0, null)]

/** Answers as if people had reported from some countries. */
async function reported(route) {
  const panel = await (await route.fetch()).json()
  await route.fulfill({ json: { ...panel, plays: 105, fails: 19, health: 80, pra_voce: 'boa', regions } })
}

flow('somebody sees on a map where a channel works', { viewport: { width: 1280, height: 900 } }, async (visit, stack) => {
  const { page } = visit
  await page.route('**/health?lang=*', reported)
  await page.goto(`${stack.base}/en/channel/${testChannel}`)
  await page.locator('#where > summary').click()
  const map = page.getByRole('img', { name: /6 countries/ })
  await map.locator('.land').first().waitFor({ state: 'attached' })
  assert.equal(await map.locator('.land').count(), 5, 'all but the unknown country')
  assert.equal(await map.locator('.land.few circle').count(), 1, 'Réunion is a dot')
  assert.ok(await map.locator('.quiet > *').count() > 200)
  await map.locator('[data-country=BR]').hover()
  await page.locator('.health-countries li.lit[data-country=BR]').waitFor()
  await page.locator('.health-countries li[data-country=MT]').hover()
  await map.locator('.land.lit[data-country=MT]').waitFor({ state: 'attached' })
  assert.deepEqual(await barriers(page), [])
})

flow('a channel of which nothing is known shows no map', {}, async (visit, stack) => {
  const { page } = visit
  await page.route('**/health?lang=*', async route => {
    const panel = await (await route.fetch()).json()
    await route.fulfill({ json: { ...panel, plays: 0, fails: 0, health: null, regions: [] } })
  })
  await page.goto(`${stack.base}/en/channel/${testChannel}`)
  await page.locator('#where > summary').click()
  await page.getByText(text('en', 'panel.ui.empty_title')).waitFor()
  assert.equal(await page.locator('.world').count(), 0)
  const height = await until(async () => (await page.locator('#panel').boundingBox()).height, 'the panel is shown')
  assert.ok(height < 120, `it is ${height} high`)
})
