/** No network, a service that does not answer, a page that is not there: words, and a way on. */
import assert from 'node:assert/strict'
import { barriers, layout } from '../browser.mjs'
import { cards, flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { startEmpty } from '../stack.mjs'
import { text } from '../texts.mjs'

const say = key => text('en', key)

/** Waits until the service has one favorite of the guest of a page. */
const kept = (stack, page) => until(async () => {
  const token = await page.evaluate(() => localStorage.getItem('mm-guest'))
  const list = token && await (await fetch(`${stack.base}/api/favorites`, { headers: { 'X-Guest-Token': token } })).json()
  return list?.total === 1
}, 'the channel is a favorite')

flow('without a network, what is pressed says so and can be pressed again', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/ERR_INTERNET_DISCONNECTED/)
  await visit.go(`/en/channel/${testChannel}`)
  const heart = page.locator(`#details [data-favorite="${testChannel}"]`)
  await context.setOffline(true)
  await heart.click()
  await page.locator('#toasts').getByText(say('layout.ui.offline')).waitFor()
  await until(async () => await heart.getAttribute('aria-pressed') === 'false', 'the heart is as it was')
  await context.setOffline(false)
  await heart.click()
  await kept(stack, page)
  assert.equal(await heart.getAttribute('aria-pressed'), 'true')
})

flow('of many presses the last one holds, whichever was refused', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/503/, /404/) // the second takes away what the first did not keep
  await visit.go(`/en/channel/${testChannel}`)
  const heart = page.locator(`#details [data-favorite="${testChannel}"]`)
  let asked = 0
  await context.route(url => url.pathname.startsWith('/api/favorites'), route => ++asked === 1
    ? route.fulfill({ status: 503, json: { error: 'unavailable', message: 'Not now, 503.' } }) : route.continue())
  await heart.evaluate(button => { for (let n = 0; n < 3; n++) button.click() })
  await page.locator('#toasts').getByText('Not now, 503.').waitFor()
  await until(() => asked === 3, 'all three are asked for')
  await kept(stack, page)
  assert.equal(await heart.getAttribute('aria-pressed'), 'true')
})

flow('a list without a network goes on when there is one', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/ERR_INTERNET_DISCONNECTED/)
  await visit.go('/en?q=news')
  const before = await cards(page)
  await context.setOffline(true)
  await page.locator('#q').click()
  await page.locator('#q').press('End')
  await page.locator('#q').pressSequentially('x')
  await page.locator('#toasts').getByText(say('list.ui.failed')).waitFor()
  await context.setOffline(false)
  await page.locator('#toasts').getByRole('button', { name: say('list.ui.retry') }).click()
  await page.waitForFunction(() => new URLSearchParams(location.search).get('q') === 'newsx')
  await page.locator('#q').press('End') // the browser may put the caret first when the field is focused again
  await page.locator('#q').press('Backspace')
  await until(async () => String(await cards(page)) === String(before), 'what was found is shown again')
})

flow('a service that does not answer is told of, with a way on', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/503/)
  await context.route(url => url.href.startsWith(`${stack.base}/api/`), route => route.fulfill({
    status: 503, json: { error: 'unavailable', message: 'Nothing is kept right now, 503.' }
  }))
  await context.addInitScript(() => localStorage.setItem('mm-guest', 'a token'))
  for (const path of ['/en/library', '/en/favorites', '/en/history']) {
    await visit.go(path)
    await page.locator('main').getByText('Nothing is kept right now, 503.').first().waitFor()
    await page.locator('main').getByRole('button', { name: say('keep.ui.again') }).waitFor()
  }

  // The channel is shown, and plays, from what its page says of it.
  await visit.go(`/en/channel/${testChannel}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.locator('.skeleton:visible').count(), 0)
  await page.locator('#comments').getByText('Nothing is kept right now, 503.').waitFor()
  await page.locator('#stage').getByRole('button', { name: text('en', 'player.ui.play') }).first().click()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state === 'playing')
})

flow('a page that is not there leads on', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/404/)
  for (const path of ['/en/nothing/here', '/en/channel/Nobody.xx', '/fr/atlantide']) {
    const response = await visit.go(path)
    assert.equal(response.status(), 404, path)
    assert.match(response.headers()['content-type'], /^text\/html/)
    assert.ok(await page.locator('main a[href]').count() > 0, `${path} leads nowhere`)
    assert.equal(await page.locator('#q').isVisible(), true)
  }
  await page.locator('main a[href]').first().click()
  await page.waitForLoadState()
  assert.equal(await page.locator('h1').count(), 1)
})

/** The pages before there is a catalog. */
async function empty(t) {
  const stack = await startEmpty()
  t.after(() => stack.stop())
  return stack
}

flow('a page that cannot be made says so, and that one may try again', { on: empty }, async visit => {
  const { page } = visit
  visit.forgive(/503/, /\/api\/visit/) // the function of the pages alone answers no report of a visit
  for (const path of ['/', '/en', '/de/brasilien', `/fr/chaine/${testChannel}`]) {
    const response = await visit.go(path)
    assert.equal(response.status(), 503, path)
    assert.match(response.headers()['content-type'], /^text\/html/)
    assert.equal(response.headers()['cache-control'], 'no-store')
    await page.locator(`main a[href="${path}"]`).first().waitFor()
    assert.deepEqual([...await layout(page), ...await barriers(page)], [], path)
  }
})
