/** What breaks in browsers: nothing is kept, the service knows the guest no more, what was kept is not what the pages left there. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const say = key => text('en', key)
const home = '/en/channel/'
const favorites = async (stack, token) => {
  const answer = await fetch(`${stack.base}/api/favorites`, { headers: { 'X-Guest-Token': token } })
  return answer.ok ? (await answer.json()).items.map(item => item.channel_id).sort() : []
}

/** Counts the guests that are made, and notes by whom each call is. */
function guests(page) {
  const seen = { made: 0, as: new Set() }
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname === '/api/guest' && request.method() === 'POST') seen.made++
    const token = request.headers()['x-guest-token']
    if (token) seen.as.add(token)
  })
  return seen
}

/** Presses the hearts of the first cards of the start, at once, and returns whose they are. */
async function press(page, n) {
  const hearts = page.locator('#main .card [data-favorite]')
  const ids = await hearts.evaluateAll((all, n) => all.slice(0, n).map(heart => { heart.click(); return heart.dataset.favorite }), n)
  return ids.sort()
}

flow('a browser that keeps nothing is one guest for as long as the page', {}, async (visit, stack) => {
  const { context, page } = visit
  await context.addInitScript(() => {
    for (const name of ['getItem', 'setItem', 'removeItem']) Storage.prototype[name] = () => { throw new DOMException('denied', 'SecurityError') }
  })
  const seen = guests(page)
  await visit.go('/en')
  const ids = await press(page, 3)
  await until(() => seen.as.size > 0, 'the guest speaks')
  const [token] = seen.as
  await until(async () => String(await favorites(stack, token)) === String(ids), 'the favorites are kept')
  assert.equal(seen.made, 1)
  await visit.go(home + testChannel)
  await page.locator('#stage').getByRole('button', { name: say('player.ui.play') }).first().click()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state === 'playing')
})

flow('a guest whom the service knows no more is told so, and loses nothing of what comes after', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/401/)
  await context.addInitScript(() => { if (!localStorage.getItem('mm-guest')) localStorage.setItem('mm-guest', 'ipt_nobodys') })
  const seen = guests(page)
  await page.goto(new URL('/en/library', stack.base).href)
  await page.locator('#toasts').getByText(say('layout.ui.new_guest')).waitFor()
  await visit.go('/en')
  const ids = await press(page, 3)
  const token = await until(() => page.evaluate(() => localStorage.getItem('mm-guest')), 'there is a guest')
  assert.notEqual(token, 'ipt_nobodys')
  await until(async () => String(await favorites(stack, token)) === String(ids), 'the favorites are kept')
  assert.equal(seen.made, 1)
})

flow('calls at once that are refused become one guest', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/401/)
  const seen = guests(page)
  await visit.go('/en')
  await page.evaluate(() => localStorage.setItem('mm-guest', 'ipt_nobodys'))
  let refused = 0
  const tell = {}
  const both = new Promise(resolve => { tell.both = resolve })
  const replaced = new Promise(resolve => { tell.replaced = resolve })
  await context.route(url => url.pathname.startsWith('/api/') && url.pathname !== '/api/guest', async route => {
    if (route.request().headers()['x-guest-token'] !== 'ipt_nobodys') {
      tell.replaced()
      return route.continue()
    }
    const nth = ++refused
    if (nth === 2) tell.both()
    await (nth === 1 ? both : replaced) // the other is refused when the new guest speaks already
    return route.continue()
  })
  const [id] = await press(page, 1)
  await page.locator('#main .card [data-keep]').first().click()
  await page.getByRole('dialog').locator('input').first().waitFor()
  const token = await until(() => page.evaluate(() => localStorage.getItem('mm-guest')), 'there is a guest')
  await until(async () => String(await favorites(stack, token)) === id, 'the favorite is kept')
  assert.equal(refused, 2)
  assert.equal(seen.made, 1)
})

flow('a guest stays whom another fault refuses', {}, async (visit, stack) => {
  const { context, page } = visit
  visit.forgive(/401/)
  const guest = await Guest.make(stack.base)
  await guest.become(context)
  await context.route(url => url.pathname === '/api/library', route => route.fulfill({ status: 401, json: { error: 'session_ended', message: 'The session is over.' } }))
  const seen = guests(page)
  await visit.go('/en/library')
  await page.locator('main').getByText('The session is over.').waitFor()
  assert.equal(seen.made, 0)
  assert.equal(await page.evaluate(() => localStorage.getItem('mm-guest')), [...seen.as][0])
})

flow('a line that was tampered with leads nowhere else', {}, async (visit) => {
  const { context, page } = visit
  const elsewhere = []
  await context.route(url => url.hostname === 'elsewhere.example', route => { elsewhere.push(route.request().url()); return route.abort() })
  await context.route(url => url.pathname === home + testChannel, async route => { // else the channels beside the player are a line
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll('class="next"', 'class="other"') })
  })
  const stop = (id, path) => ({ id, name: id, path, logo: null })
  const bad = ['//elsewhere.example/x', '/\\elsewhere.example/x', '/\t/elsewhere.example/x', 'https://elsewhere.example/', 'javascript:alert(1)', 7, null]
  const lines = [
    ...bad.map(path => ({ title: 'x', from: 'javascript:alert(1)', stops: [stop(testChannel, home + testChannel), stop('a', path)] })),
    { title: {}, from: 3, at: 'x', next: 'https://elsewhere.example/', stops: [stop(testChannel, home + testChannel)] },
    { stops: [stop(testChannel, home + testChannel)], next: 'http://[' }, { stops: {} }, [], 'x', 5, null
  ]
  for (const [line, seen] of lines.map((line, n) => [line, [{}, 5, 'xy', [1, 2], [null, null], [stop('a', '//elsewhere.example/x'), null]][n % 6]])) {
    await visit.go('/en/about')
    await page.evaluate(([line, seen]) => {
      sessionStorage.setItem('mm-line', line)
      sessionStorage.setItem('mm-seen', seen)
    }, [JSON.stringify(line), JSON.stringify(seen)])
    await visit.go(home + testChannel)
    await page.locator('#stage .stage-bar').waitFor({ state: 'attached' })
    await page.locator('#comments form').waitFor() // all of the page came to work
    const before = page.url()
    for (const key of ['ArrowDown', 'PageDown', 'ChannelUp', 'ArrowUp', 'Backspace', '2', 'Enter']) {
      await page.evaluate(key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })), key)
    }
    await page.waitForFunction(name => document.querySelector('.digits').textContent.includes('2') && name, 'the number leads nowhere')
    assert.equal(page.url(), before, JSON.stringify(line))
  }
  assert.deepEqual(elsewhere, [])
})

flow('keys by which one composes letters stay in the field', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en?q=news')
  const compose = (place, key) => page.locator(place).evaluate((field, key) => {
    field.focus()
    field.dispatchEvent(new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true }))
    return document.activeElement === field
  }, key)
  assert.equal(await compose('#q', 'ArrowDown'), true)
  await visit.go('/en/countries')
  assert.equal(await compose('#filter', 'ArrowDown'), true)
  await compose('#filter', 'Enter')
  await page.locator('#filter').fill('bra')
  assert.equal(new URL(page.url()).pathname, '/en/countries')
})

flow('a list that went on is the same list to those who skip to it', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en?kind=all')
  await page.locator('#more').scrollIntoViewIfNeeded()
  await page.waitForFunction(() => document.querySelectorAll('#cards > .card').length > 30)
  await page.evaluate(() => document.querySelector('#cards').children[45].scrollIntoView())
  await page.waitForFunction(() => new URLSearchParams(location.search).get('offset') === '30')
  let lists = 0
  page.on('request', request => { if (new URL(request.url()).pathname === '/en') lists++ })
  const before = await page.locator('#cards > .card').count()
  await page.evaluate(() => document.querySelector('.skip').click())
  await page.waitForFunction(() => location.hash === '#main')
  await visit.settled()
  assert.equal(lists, 0)
  assert.ok(await page.locator('#cards > .card').count() >= before)
})
