/** Favorites, history, library and what one goes on with look as channels do everywhere: the server draws them. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const technical = ' (ZYK123 98,5 MHz FM) [aac]'
const kept = [testChannel, 'DWEnglish.de', 'NASATV.us']

/** Makes the browser that of a guest who keeps these channels, which the API calls by the names of registers, the first of which has a programme now. */
async function owner({ context, page }, stack) {
  const guest = await Guest.make(stack.base)
  const { group_id } = await guest.call('POST', '/api/categories', { name: 'Abend' })
  for (const channel_id of kept) {
    await guest.call('POST', '/api/items', { group_id, channel_id })
    await guest.call('POST', '/api/favorites', { channel_id })
    await guest.call('POST', '/api/history', { channel_id })
  }
  await guest.become(context)
  await context.addInitScript(() => { if (location.origin !== 'null') localStorage.setItem('mm-watched', '1') })
  const named = items => { for (const item of items) item.name += technical }
  await page.route(/\/api\/(favorites|history|library)(\?|$)/, async route => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const json = await response.json()
    named(json.items ?? json.categories.flatMap(({ groups }) => groups.flatMap(({ items }) => items)))
    return route.fulfill({ response, json })
  })
  return guest
}

/** Lets the cards of the server say that something is on now. */
function airing(page) {
  const asked = []
  return page.route('**/cards?*', async route => {
    asked.push(new URL(route.request().url()).searchParams.get('ids'))
    const response = await route.fetch()
    const body = (await response.text()).replace(/<span class="card-now"[^]*?<\/progress>/g, '').replaceAll('<span class="card-do">', '<span class="card-now">Evening film</span><progress class="card-progress" max="100" value="40"></progress><span class="card-do">')
    return route.fulfill({ response, body })
  }).then(() => asked)
}

const shownOf = (page, selector) => page.locator(selector).evaluateAll(all => all.map(row => ({
  id: row.querySelector('[data-channel]')?.dataset.channel, name: row.querySelector('.card-link, .row-name')?.textContent,
  initials: row.querySelectorAll('.initials').length, flag: row.querySelectorAll('.flag').length, now: row.querySelector('.card-now')?.textContent, passed: row.querySelector('progress')?.value
})))

flow('what one keeps is shown by its name, its plate and what is on', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  const asked = await airing(page)
  for (const [path, rows] of [['favorites', '#items > .card'], ['history', '#items > .row-item'], ['library', '#items > .row-item'], ['', '#continue .card']]) {
    asked.length = 0
    await visit.go(`/en/${path}`)
    await until(async () => (await shownOf(page, rows)).length === kept.length, `${path} has all channels`)
    const found = await shownOf(page, rows)
    assert.deepEqual(found.map(({ id }) => id), path === 'library' ? kept : kept.toReversed(), path)
    for (const { id, ...row } of found) {
      assert.ok(row.name && !row.name.includes('['), `${path} calls ${id} ${row.name}`)
      assert.deepEqual({ ...row, name: '' }, { name: '', initials: 0, flag: 1, now: 'Evening film', passed: 40 }, `${path}: ${id}`)
    }
    assert.deepEqual(asked, [kept.toSorted().join(',')], `${path} asks once`)
  }
})

flow('a kept channel that is opened gives its list clean names to zap through', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  for (const path of ['favorites', 'history', 'library']) {
    await visit.go(`/en/${path}`)
    await page.locator(`#items [data-channel="${testChannel}"]`).click()
    await page.waitForURL(url => url.pathname.endsWith(testChannel))
    const { stops, from } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('mm-line')))
    assert.match(from, new RegExp(`^/en/${path}`))
    assert.equal(stops.length, kept.length)
    assert.ok(stops.every(({ name, logo, letters }) => !name.includes('[') && (logo || letters)), JSON.stringify(stops))
  }
})

flow('without the cards of the server, what the API says is shown and works', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  visit.forgive(/\/cards\?/)
  await page.route('**/cards?*', route => route.fulfill({ status: 503, body: '' }))
  for (const [path, rows] of [['favorites', '#items > .card'], ['history', '#items > .row-item'], ['library', '#items > .row-item'], ['', '#continue .card']]) {
    await visit.go(`/en/${path}`)
    await until(async () => (await shownOf(page, rows)).length === kept.length, `${path} has all channels`)
    for (const { name } of await shownOf(page, rows)) assert.ok(name.endsWith(technical), name)
  }
  await visit.go('/en/favorites')
  const card = page.locator(`#items > [data-id="${testChannel}"]`)
  await card.hover()
  await card.locator('[data-favorite]').click()
  await card.waitFor({ state: 'detached' })
  await page.locator('#toasts').getByRole('button', { name: say('keep.ui.undo') }).click()
  await card.waitFor()
})

flow('channels of the library are put in order by keys, and keep their cards', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  await airing(page)
  await visit.go('/en/library')
  const order = async () => (await shownOf(page, '#items > .row-item')).map(({ id }) => id)
  const grip = page.locator('#items > .row-item').first().locator('.grip')
  await grip.focus()
  await page.keyboard.press('ArrowDown')
  await until(async () => String(await order()) === String([kept[1], kept[0], kept[2]]), 'the first is the second')
  assert.match(await page.locator('#said').textContent(), /^(?!.*\[aac\])/)
  assert.ok((await shownOf(page, '#items > .row-item')).every(({ now, initials }) => now === 'Evening film' && initials === 0))
  assert.equal(await page.evaluate(() => document.activeElement.className.includes('grip') && document.activeElement.closest('[data-id]').querySelector('[data-channel]').dataset.channel), kept[0], 'the handle keeps the focus')
})

flow('a logo that does not load is replaced by letters, on the cards of the server too', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  visit.forgive(/404 .*\/logos\//)
  await page.route('**/logos/**', route => route.fulfill({ status: 404, body: '' }))
  const own = [['favorites', '#items > .card'], ['history', '#items > .row-item'], ['library', '#items > .row-item'], ['', '#continue .card']]
  for (const [path, rows] of [...own, ['?q=miramundo', '#cards > .card'], ['brazil', '#cards > .card']]) {
    await visit.go(`/en/${path}`)
    const plate = page.locator(`${rows}[data-id="${testChannel}"] .plate, ${rows}:has([data-channel="${testChannel}"]) .plate`)
    await plate.locator('.initials').waitFor()
    assert.equal(await plate.evaluate(plate => plate.childElementCount === 1 && plate.matches('.bare[data-tone]:not([data-ground])')), true, path)
  }
  await visit.go(`/en/channel/${testChannel}`)
  await page.locator('.channel-name .plate .initials').waitFor()
  assert.equal(await page.locator('.channel-name .plate .initials').textContent(), 'MT')
  await page.unrouteAll({ behavior: 'wait' })
})

flow('another owner has another list, also while that of the first is on its way', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  visit.forgive(/\/cards\?/)
  const other = await Guest.make(stack.base)
  await other.call('POST', '/api/favorites', { channel_id: kept[2] })
  let come
  const late = new Promise(resolve => { come = resolve })
  await page.route(/\/cards\?ids=.*,/, route => late.then(() => route.continue()).catch(() => {})) // the page may have given up
  const asked = page.waitForRequest(/\/cards\?ids=.*,/)
  await page.goto(`${stack.base}/en/favorites`)
  await asked
  const asks = request => /\/cards\?ids=.*,/.test(request.url())
  const ended = Promise.race([page.waitForEvent('requestfinished', asks), page.waitForEvent('requestfailed', asks)])
  await page.evaluate(token => {
    localStorage.setItem('mm-guest', token)
    document.dispatchEvent(new CustomEvent('account'))
  }, other.token)
  const shown = async () => (await shownOf(page, '#items > .card[data-id]')).map(({ id }) => id)
  await until(async () => String(await shown()) === kept[2], 'the other owner is shown')
  come()
  await ended
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))))
  assert.deepEqual(await shown(), [kept[2]])
  await page.unrouteAll({ behavior: 'wait' })
})

flow('the focus stays on a link of the library when its card comes', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  visit.forgive(/\/cards\?/)
  let come
  const late = new Promise(resolve => { come = resolve })
  let first = true
  await page.route('**/cards?*', async route => {
    if (!first) return late.then(() => route.continue())
    first = false
    return route.fulfill({ status: 503, body: '' })
  })
  await visit.go('/en/library')
  await page.locator('#items .grip').first().focus()
  const asked = page.waitForRequest(/\/cards\?/)
  await page.keyboard.press('ArrowDown') // what the server did not send is asked for again
  await asked
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))))
  await page.locator(`#items [data-channel="${kept[2]}"]`).focus()
  come()
  await until(async () => (await shownOf(page, '#items > .row-item')).every(({ name }) => !name.includes('[')), 'the cards have come')
  assert.equal(await page.evaluate(() => document.activeElement.dataset.channel), kept[2])
  await page.unrouteAll({ behavior: 'wait' })
})

flow('what is said of a favorite without a card is within its tile', {}, async (visit, stack) => {
  const { page } = visit
  await owner(visit, stack)
  visit.forgive(/\/cards\?/)
  await page.route('**/cards?*', route => route.fulfill({ status: 503, body: '' }))
  await page.route(/\/api\/favorites(\?|$)/, async route => {
    const response = await route.fetch()
    const json = await response.json()
    for (const item of json.items) Object.assign(item, { country: 'CF', playable_hint: false, name: 'قناة الأطفال والشباب الإخبارية' })
    return route.fulfill({ response, json })
  })
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await visit.go('/de/favoriten')
    const tile = page.locator('#items > .card[data-id]').first()
    await tile.waitFor()
    const out = await tile.evaluate(tile => [...tile.querySelectorAll('.badge, .row-country, .flag, .row-where')].filter(part => part.getBoundingClientRect().right > tile.getBoundingClientRect().right).map(part => part.outerHTML))
    assert.deepEqual(out, [], `at ${width} px`)
  }
  await page.unrouteAll({ behavior: 'wait' })
})
