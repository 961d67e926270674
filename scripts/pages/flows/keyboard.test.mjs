/** With a keyboard, or a remote control: everything can be reached, and one always sees where one is. */
import assert from 'node:assert/strict'
import { seenFocus } from '../browser.mjs'
import { at, card, cards, flow, onlyTestPlays, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

/** Presses keys, one after the other; after each, the focus must be somewhere, and be seen. */
async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key)
    await until(() => seenFocus(page), `the focus is seen after ${key}: ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200))}`)
  }
}

const stageIs = (page, state) => page.waitForFunction(state => document.querySelector('#stage').dataset.state === state, state)

flow('find a channel with the keyboard alone', {}, async ({ page }, stack) => {
  await page.goto(`${stack.base}/en`)
  await page.locator('#results li.card').first().waitFor()
  await page.waitForLoadState('networkidle')

  // The first that is reached leads past what is on every page; then all that
  // is above the list, each seen.
  await press(page, 'Tab')
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), '#main')
  const reached = new Set()
  for (let n = 0; n < 60 && !await inList(page); n++) {
    await press(page, 'Tab')
    reached.add(await seenFocus(page))
  }
  assert.ok(await inList(page), `the list is not reached: ${[...reached].join('; ')}`)

  // A key searches, from anywhere; another helps.
  await press(page, '/')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q')
  await page.keyboard.type('test card')
  await card(page, testChannel).waitFor()
  for (let n = 0; n < 60 && !await onCard(page, testChannel); n++) await press(page, 'Tab')
  await press(page, '?')
  await page.getByRole('dialog').waitFor()
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.ok(await onCard(page, testChannel), 'the focus is back where it was')
  await page.keyboard.press('Enter')
  await at(page, url => url.pathname === `/en/channel/${testChannel}`, testChannel)
  await plays(page)
})

const inList = page => page.evaluate(() => Boolean(document.activeElement.closest('#results li.card')))
const onCard = (page, id) => page.evaluate(id => document.activeElement.closest('li.card')?.dataset.id === id, id)

/** Presses arrows until a card has the focus, each in the direction in which the card is. */
async function steer(page, id) {
  for (let n = 0; n < 40; n++) {
    const key = await page.evaluate(id => {
      const here = document.activeElement.closest('li.card')
      const there = document.querySelector(`#results li.card[data-id="${id}"]`)
      if (here === there) return null
      const [a, b] = [(here ?? document.activeElement).getBoundingClientRect(), there.getBoundingClientRect()]
      if (Math.abs(a.top - b.top) > 4) return a.top < b.top ? 'ArrowDown' : 'ArrowUp'
      return a.left < b.left ? 'ArrowRight' : 'ArrowLeft'
    }, id)
    if (key === null) return
    await press(page, key)
  }
  assert.fail(`arrows do not reach ${id}`)
}

flow('watch and zap with the keyboard alone', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await visit.go('/en/brazil')
  const line = await cards(page)
  const path = id => `/en/channel/${id}`
  const is = async id => {
    await at(page, url => url.pathname === path(id), path(id))
    await page.waitForFunction(id => document.querySelector('#details [data-favorite]')?.dataset.favorite === id, id)
  }
  const beside = by => line[(line.indexOf(testChannel) + by + line.length) % line.length]

  // Arrows go through the list, to each card of it and back.
  for (let n = 0; n < 80 && !await inList(page); n++) await press(page, 'Tab')
  for (const id of [...line, line[0], line.at(-1), testChannel]) await steer(page, id)
  await page.keyboard.press('Enter')
  await is(testChannel)
  await plays(page)

  // Zap along the list that one came from, and jump by numbers.
  await page.keyboard.press('ArrowDown')
  await is(beside(1))
  await page.keyboard.press('ArrowUp')
  await is(testChannel)
  await page.keyboard.press('PageDown')
  await is(beside(1))
  await page.keyboard.press('PageUp')
  await is(testChannel)
  const other = line.findIndex(id => id !== testChannel)
  await page.keyboard.type(String(other + 1))
  await is(line[other])
  await page.keyboard.type(String(line.indexOf(testChannel) + 1))
  await page.keyboard.press('Enter')
  await is(testChannel)
  await plays(page, 1)

  // The keys that people expect.
  await page.keyboard.press('f')
  await until(() => page.evaluate(() => document.fullscreenElement?.id === 'stage'), 'the stage fills the screen')
  await page.keyboard.press('f')
  await until(() => page.evaluate(() => document.fullscreenElement === null), 'it no longer does')
  const muted = () => page.evaluate(() => document.querySelector('#stage video').muted)
  const was = await muted()
  await page.keyboard.press('m')
  await until(async () => await muted() !== was, 'the sound is off')
  await page.keyboard.press('m')
  await until(async () => await muted() === was, 'the sound is on')
  await page.keyboard.press('p')
  await until(() => page.evaluate(() => document.pictureInPictureElement !== null), 'the picture is in a window of its own')
  await page.keyboard.press('p')
  await until(() => page.evaluate(() => document.pictureInPictureElement === null), 'the picture is back')
  await page.keyboard.press('Space')
  await stageIs(page, 'paused')
  await page.keyboard.press('k')
  await stageIs(page, 'playing')
  await page.keyboard.press('l')
  await until(() => page.evaluate(id => document.querySelector(`#details [data-favorite="${id}"]`).getAttribute('aria-pressed') === 'true', testChannel), 'the channel is a favorite')

  // The controls are reached by arrows, and left by Escape; each is seen.
  const onStage = () => page.evaluate(() => document.querySelector('#stage').contains(document.activeElement))
  await press(page, 'ArrowRight')
  assert.ok(await onStage())
  const reached = new Set()
  for (let n = 0; n < 12 && await onStage(); n++) {
    reached.add(await seenFocus(page))
    await press(page, 'ArrowRight')
  }
  if (!await onStage()) await press(page, 'ArrowLeft')
  assert.ok(reached.size > 3, `arrows reach ${[...reached].join('; ')}`)
  await page.keyboard.press('Escape')
  await until(async () => !await onStage(), 'the controls are left')
  await press(page, '/')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q', await page.evaluate(() => document.activeElement.outerHTML))
})
