/** Lists: every state has an address, to which one can come back. */
import assert from 'node:assert/strict'
import { shifts } from '../browser.mjs'
import { at, cardLink, cards, flow, onlyTestPlays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'

const query = url => url.searchParams.get('q') ?? ''

flow('search, and go back and forward', {}, async ({ page, ...visit }, stack) => {
  await page.goto(`${stack.base}/en`)
  const first = await cards(page)
  await page.locator('#q').click()
  await page.locator('#q').pressSequentially('arte')
  await at(page, url => query(url) === 'arte', '?q=arte')
  await until(async () => (await cards(page)).length < first.length, 'what was found is shown')
  const found = await cards(page)
  assert.ok(found.includes('arte.fr'))
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q', 'the field keeps the focus')
  await page.goBack()
  await at(page, url => query(url) === '', 'home')
  await until(async () => String(await cards(page)) === String(first), 'home is shown again')
  assert.equal(await page.locator('#q').inputValue(), '')
  await page.goForward()
  await at(page, url => query(url) === 'arte', '?q=arte')
  await until(async () => String(await cards(page)) === String(found), 'what was found is shown again')
  assert.equal(await page.locator('#q').inputValue(), 'arte')

  // The address alone shows the same.
  await page.reload()
  await until(async () => String(await cards(page)) === String(found), 'what was found is shown anew')
  assert.equal(await page.locator('#q').inputValue(), 'arte')
})

flow('the address is that of the page one looks at, also for those who jump', {}, async (visit) => {
  const { page } = visit
  await visit.go('/en?kind=all')
  await page.locator('#more').scrollIntoViewIfNeeded()
  await page.waitForFunction(() => document.querySelectorAll('#cards > .card:not(.skeleton)').length > 60)
  const offset = () => page.evaluate(() => new URLSearchParams(location.search).get('offset'))
  for (const [n, at] of [[0, null], [75, '60'], [0, null], [45, '30'], [75, '60']]) {
    await page.evaluate(n => document.querySelector('#cards').children[n].scrollIntoView({ behavior: 'instant' }), n)
    await until(async () => await offset() === at, `channel ${n} is at offset ${at}`)
  }
})

flow('an endless list shows each channel once', {}, async ({ page }, stack) => {
  const { total } = await (await fetch(`${stack.base}/api/channels?limit=1`)).json()
  await page.goto(`${stack.base}/en?kind=tv`)
  const first = await cards(page)
  assert.ok(first.length < total, `${total} channels are more than a page`)
  await until(async () => {
    await page.mouse.wheel(0, 2000)
    return (await cards(page)).length >= total
  }, `all ${total} channels are shown`)
  const all = await cards(page)
  assert.equal(new Set(all).size, all.length)
  assert.equal(all.length, total)
})

flow('what ends a page stays in place while a list goes on in a tall window', { viewport: { width: 1280, height: 1600 } }, async (visit) => {
  const { page } = visit
  for (const path of ['/en?q=news', '/en?kind=radio']) {
    await visit.go(path)
    await page.locator('#cards > .card').nth(30).waitFor()
    await page.waitForFunction(() => !document.querySelector('#cards > .skeleton'))
    assert.deepEqual(await shifts(page), [], path)
  }
})

flow('zap, and come back by the way one went', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  visit.forgive(/ERR_FILE_NOT_FOUND.*blob:/) // who leaves before the picture came takes back what was being attached
  await visit.go('/en/brazil')
  const line = await cards(page)
  const start = line.indexOf(testChannel)
  const path = n => `/en/channel/${line[(n + line.length) % line.length]}`
  await cardLink(page, testChannel).click()
  await at(page, url => url.pathname === path(start), path(start))
  const title = await page.title()
  await page.waitForFunction(() => document.querySelector('#stage').dataset.state)
  for (const n of [start + 1, start + 2]) {
    await page.keyboard.press('ArrowDown')
    await at(page, url => url.pathname === path(n), path(n))
    await until(() => page.locator(`#details [data-favorite="${path(n).split('/').pop()}"]`).isVisible(), 'the details are those of the channel')
  }
  assert.notEqual(await page.title(), title)
  await page.goBack()
  await at(page, url => url.pathname === path(start + 1), path(start + 1))
  await page.goBack()
  await at(page, url => url.pathname === path(start), path(start))
  await until(async () => await page.title() === title, 'the title is that of the first channel')
  await page.locator(`#details [data-favorite="${testChannel}"]`).waitFor()
  await page.goBack()
  await at(page, url => url.pathname === '/en/brazil', '/en/brazil')
  await until(async () => String(await cards(page)) === String(line), 'the list is shown again')
})

flow('the end of a page that one jumps to stays where it is while the list goes on', { viewport: { width: 390, height: 844 } }, async (visit) => {
  const { page } = visit
  await visit.go('/en?kind=tv')
  const first = (await cards(page)).length
  const top = await page.evaluate(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    return Math.round(document.querySelector('.bottom').getBoundingClientRect().top)
  })
  await until(async () => (await cards(page)).length > first, 'more of the list is there')
  const moved = () => page.evaluate(top => Math.abs(document.querySelector('.bottom').getBoundingClientRect().top - top), top)
  await until(async () => await moved() < 3, `the end of the page is at ${top} px again`) // cards get their height when they are drawn
})

flow('the flags of all countries are two requests at most', {}, async visit => {
  const asked = []
  visit.page.on('request', request => asked.push(new URL(request.url()).pathname))
  await visit.go('/en/countries')
  assert.ok(await visit.page.locator('.countries .flag').count() > 20)
  assert.ok(asked.length < 20, `${asked.length} requests: ${asked.join(' ')}`)
  assert.deepEqual(asked.filter(path => path.startsWith('/flags/')), [])
})
