/** The controls of the stage: what is pressed, by pointer and by keys, and where the keys lead. */
import assert from 'node:assert/strict'
import { seenFocus } from '../browser.mjs'
import { flow, onlyTestPlays, plays, until } from '../flow.mjs'
import { gone, testChannel } from '../pages.mjs'
import { form, text } from '../texts.mjs'

const en = key => text('en', `player.ui.${key}`)
const path = id => `/en/channel/${encodeURIComponent(id)}`
const state = (page, name) => page.waitForFunction(name => document.querySelector('#stage').dataset.state === name, name)
const focused = page => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.localName)
const stop = (id, name = id) => ({ id, name, path: path(id), logo: null })

/** Comes from a list: opens the page of the test channel, which plays at once, as the third of three stops. */
async function come(visit, { line = { title: 'A list', from: '/en', next: null, stops: [stop('arte.fr'), stop('DR1.dk'), stop(testChannel)] }, play = true } = {}) {
  await visit.page.addInitScript(([line, play]) => {
    if (sessionStorage.getItem('came')) return
    sessionStorage.setItem('came', '1')
    if (line) sessionStorage.setItem('mm-line', line)
    if (play) sessionStorage.setItem('mm-play', '1')
  }, [line && JSON.stringify(line), play])
  await visit.page.goto(new URL(path(testChannel), visit.base).href)
  if (!play) return
  await visit.page.waitForFunction(() => ['playing', 'ready'].includes(document.querySelector('#stage').dataset.state))
  // A browser may want a press first, which is not what is looked at here.
  if (await visit.page.locator('#stage').getAttribute('data-state') === 'ready') await visit.page.locator('#stage').getByRole('button', { name: en('play') }).first().click()
  await state(visit.page, 'playing')
}

/** Gives the test channel its stream twice, and once that is gone. */
async function streams(visit, stack, { alive = true } = {}) {
  visit.forgive(/\/api\/s\/s_gone/)
  await visit.context.route(`${stack.hop}/api/s/s_gone*`, gone)
  await visit.context.route(url => url.pathname === `/api/channels/${testChannel}`, async route => {
    const response = await route.fetch()
    const record = await response.json()
    const lost = n => ({ ...record.streams[0], id: `s_gone${n}`, url: `${stack.hop}/api/s/s_gone${n}`, play_url: `${stack.hop}/api/s/s_gone${n}.m3u8`, title: `Lost ${n}` })
    await route.fulfill({ response, json: { ...record, website: 'javascript:alert(1)', streams: [...(alive ? record.streams : []), lost(1), lost(2)] } })
  })
}

/** Waits until the streams are those that the API tells, of which there are several. */
const ranked = page => page.waitForFunction(name => [...document.querySelectorAll('.stage-bar button')].some(button => button.title === name && !button.hidden), en('settings'))

const at = (page, id) => until(() => new URL(page.url()).pathname === path(id), `the page is that of ${id}`)

flow('nothing plays before one presses', {}, async (visit) => {
  const { page } = visit
  await come(visit, { play: false })
  await state(page, 'idle')
  await page.locator('#stage').getByRole('button', { name: en('play') }).click()
  await plays(page, 1)
  await page.locator('#stage').getByRole('button', { name: en('live') }).waitFor()
  await page.locator('.stage-layer').click({ position: { x: 30, y: 60 } })
  await state(page, 'paused')
  await page.locator('.stage-layer').click({ position: { x: 30, y: 60 } })
  await state(page, 'playing')
})

flow('a menu is opened, moved in and left by keys', {}, async (visit, stack) => {
  const { page } = visit
  await streams(visit, stack)
  await come(visit)
  const button = page.locator('.stage-bar').getByRole('button', { name: en('settings') })
  await button.focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu', { name: en('settings') })
  const items = menu.getByRole('menuitemradio')
  await menu.waitFor()
  await button.and(page.locator('[aria-expanded="true"]')).waitFor()
  const states = of => menu.getByRole('group', { name: en(of) }).getByRole('menuitemradio').evaluateAll(all => all.map(item => item.getAttribute('aria-checked')))
  assert.deepEqual(await states('streams'), ['true', 'false', 'false'])
  assert.deepEqual(await states('sleep'), ['true', 'false', 'false', 'false', 'false', 'false'])
  const chosen = () => items.evaluateAll(all => all.indexOf(document.activeElement))
  const last = await items.count() - 1
  for (const [key, want] of [['ArrowDown', 1], ['ArrowDown', 2], ['Home', 0], ['ArrowUp', last], ['ArrowDown', 0], ['End', last]]) {
    await page.keyboard.press(key)
    assert.equal(await chosen(), want, key)
  }
  assert.equal(new URL(page.url()).pathname, path(testChannel), 'no key zapped')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await until(async () => await focused(page) === en('settings'), 'the focus is back on the button')

  // A key that comes before the browser has told that the menu is open moves in it, and zaps to nothing.
  const early = await button.evaluate(button => {
    button.click()
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
    return { open: button.ariaExpanded, on: document.activeElement.getAttribute('role') }
  })
  assert.deepEqual(early, { open: 'false', on: 'menuitemradio' })
  assert.equal(await chosen(), 1)
  await button.and(page.locator('[aria-expanded="true"]')).waitFor()
  assert.equal(await chosen(), 1, 'opening takes the focus no second time')

  // What is chosen is tried, and nothing else; the menu says that it failed.
  await page.keyboard.press('Enter')
  await state(page, 'failed')
  await page.getByRole('alert').getByText(text('en', 'failure.ui.label_sumiu'), { exact: true }).waitFor()
  await page.getByRole('alert').getByRole('button', { name: en('other_stream') }).click()
  const others = page.getByRole('menu', { name: en('streams') })
  await others.getByText(text('en', 'failure.ui.label_sumiu')).waitFor()
  await others.getByRole('menuitemradio').first().click()
  await state(page, 'playing')
})

flow('a failure offers ways on, and none that is unsafe', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await streams(visit, stack, { alive: false })
  await come(visit, { play: false })
  await ranked(page)
  await page.keyboard.press('k')
  await state(page, 'failed')
  const card = page.locator('#stage').getByRole('alert')
  await card.getByText(text('en', 'failure.ui.label_sumiu'), { exact: true }).waitFor()
  assert.deepEqual(await card.getByRole('link').evaluateAll(all => all.map(a => new URL(a.href).protocol)), ['http:'], 'only the legacy player: the site is no address')
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), en('next_working'))
  await card.getByRole('button', { name: en('next_working') }).click()
  await at(page, 'arte.fr')
})

flow('fallback is told, and then forgotten', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/\/api\/s\/s_gone/)
  await visit.context.route(`${stack.hop}/api/s/s_gone*`, gone)
  await visit.context.route(url => url.pathname === `/api/channels/${testChannel}`, async route => {
    const response = await route.fetch()
    const record = await response.json()
    await route.fulfill({ response, json: { ...record, streams: [{ ...record.streams[0], id: 's_gone', url: `${stack.hop}/api/s/s_gone`, play_url: `${stack.hop}/api/s/s_gone.m3u8` }, ...record.streams] } })
  })
  await come(visit, { play: false })
  await ranked(page)
  const status = page.locator('#stage').getByRole('status').first()
  const told = page.locator('#stage').getByText(form('en', 'player.ui.fallback')).waitFor()
  await page.keyboard.press('Space')
  await told
  await state(page, 'playing')
  await until(async () => await status.textContent() === '', 'nothing is said any more')
})

flow('the controls leave the picture alone, and come back with the focus they had', {}, async (visit) => {
  const { page } = visit
  await come(visit)
  const quiet = () => page.waitForFunction(() => document.querySelector('#stage').hasAttribute('data-quiet'))
  await quiet()
  await page.keyboard.press('f')
  await until(() => page.evaluate(() => document.fullscreenElement?.id === 'stage'), 'the stage fills the screen')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  const was = await focused(page)
  await quiet()
  assert.equal(await focused(page), 'body')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await focused(page), was)
  assert.ok(await seenFocus(page))
  assert.ok(!await page.evaluate(() => document.querySelector('#stage').hasAttribute('data-quiet')))

  // In the page a focus that is seen stays seen.
  await page.keyboard.press('f')
  await until(() => page.evaluate(() => document.fullscreenElement === null), 'the page is back')
  await page.mouse.move(300, 300)
  await page.keyboard.press('Escape')
  await quiet()
})

flow('digits, the last channel, and the ends of the line', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await come(visit)
  await page.keyboard.type('77')
  const digits = page.locator('.digits')
  assert.equal(await digits.textContent(), '77')
  await page.keyboard.press('Enter')
  await digits.getByText(text('en', 'player.ui.no_number').replace('{n}', '77')).waitFor()
  const aimed = await page.evaluate(() => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
    return document.querySelector('.banner strong').textContent
  })
  assert.equal(aimed, 'arte.fr') // at once, before anything of it is there
  await at(page, 'arte.fr')
  await page.keyboard.press('ArrowUp')
  await at(page, testChannel)
  await page.keyboard.type('2')
  await at(page, 'DR1.dk')
  await page.keyboard.press('Backspace')
  await at(page, testChannel)
  await page.keyboard.press('Backspace')
  await at(page, 'DR1.dk')
  for (const key of ['ChannelUp', 'MediaTrackPrevious']) {
    await page.evaluate(key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })), key)
    await at(page, key === 'ChannelUp' ? testChannel : 'DR1.dk')
  }

  // Whoever presses on and on passes by what lies between.
  const asked = []
  page.on('request', request => { if (request.isNavigationRequest() || request.resourceType() === 'fetch') asked.push(new URL(request.url()).pathname) })
  await page.evaluate(() => { for (let n = 0; n < 5; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true })) })
  await at(page, 'arte.fr')
  assert.ok(asked.filter(asked => asked === path('arte.fr')).length <= 1, 'the last is gone to once')
  assert.ok(!asked.includes(path('DR1.dk')), 'a channel between was not loaded')
})

flow('arrows leave what is typed, and the page when the stage is out of sight, alone', {}, async (visit) => {
  const { page } = visit
  await come(visit)
  await page.locator('#q').focus()
  await page.keyboard.type('12 mk')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Delete')
  assert.equal(await page.locator('#q').inputValue(), '2 mk')
  assert.equal(await page.evaluate(() => document.querySelector('#stage video').muted), false)
  await page.evaluate(() => { document.activeElement.blur(); scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }) })
  const top = await page.evaluate(() => scrollY)
  await page.keyboard.press('ArrowUp')
  await until(async () => await page.evaluate(() => scrollY) < top, 'the page scrolled')
  assert.equal(new URL(page.url()).pathname, path(testChannel))
})

flow('a list goes on where it was left', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  const list = await (await fetch(new URL('/en?kind=tv&sort=name', stack.base))).text()
  const [, next] = /id="more" href="([^"]+)"/.exec(list)
  const ids = [...(await (await fetch(new URL(next.replaceAll('&amp;', '&'), stack.base))).text()).matchAll(/<li class="card" data-id="([^"]+)"/g)].map(match => match[1])
  const first = ids.find(id => id !== testChannel)
  await come(visit, { line: { title: 'A list', from: '/en?kind=tv&sort=name', next: next.replaceAll('&amp;', '&'), stops: [stop('24Horas.es'), stop(testChannel)] } })
  await until(() => page.evaluate(() => JSON.parse(sessionStorage.getItem('mm-line')).stops.length > 2), 'the line is longer')
  await page.keyboard.press('ArrowDown')
  await at(page, first)
})

flow('who comes from nowhere zaps through the channels beside the player', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await come(visit, { line: null, play: false })
  const rows = await page.locator('#next .next').evaluateAll(rows => rows.map(row => row.dataset.id))
  for (const id of rows.slice(0, 2)) {
    await page.keyboard.press('PageDown')
    await at(page, id)
  }
  // What comes after the channel is first in the list beside the player, and one goes there by a press.
  const next = page.locator('#next .next')
  await until(async () => await next.first().getAttribute('data-id') === rows[2], 'the list goes on')
  assert.equal(await next.last().getAttribute('data-id'), rows[0], 'and begins again after its end')
  await next.first().getByRole('link').click()
  await at(page, rows[2])
})

flow('the page of the next channel is there before one zaps', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  let asked = 0
  page.on('request', request => { if (new URL(request.url()).pathname === path('arte.fr')) asked++ })
  await come(visit)
  await until(async () => asked === 1, 'it is fetched while the channel plays')
  await page.keyboard.press('ArrowDown')
  await at(page, 'arte.fr')
  await page.waitForFunction(name => document.querySelector('#details h1').textContent === name, 'arte')
  assert.equal(asked, 1)
})

flow('the list of channels lies over the picture', {}, async (visit, stack) => {
  const { page } = visit
  await onlyTestPlays(visit, stack)
  await come(visit)
  await page.evaluate(() => document.querySelector('#stage').requestFullscreen())
  await page.waitForFunction(() => document.fullscreenElement?.id === 'stage')
  await page.keyboard.press('g')
  const list = page.getByRole('menu', { name: en('channels') })
  await list.waitFor()
  await until(async () => await page.evaluate(() => document.activeElement.textContent) === `3. ${testChannel}`, 'the focus is on the channel that plays')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await at(page, 'DR1.dk')
  await list.waitFor({ state: 'hidden' })
})

flow('a remote control reaches everything', {}, async (visit) => {
  const { page } = visit
  await come(visit, { play: false })
  await page.waitForLoadState('networkidle')
  const all = await page.evaluate(() => {
    const reachable = [...document.querySelectorAll('main :is(a[href], button, summary, textarea, input:not([type=range]))')].filter(element =>
      element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }))
    reachable.forEach((element, i) => element.setAttribute('data-reach', i))
    return reachable.length
  })
  assert.ok(all > 8)
  const reached = await page.evaluate(() => {
    const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    press('ArrowRight') // onto the stage
    const queue = [document.activeElement]
    const seen = new Set(queue)
    const stage = document.querySelector('#stage')
    for (let from = queue.shift(); from; from = queue.shift()) {
      for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']) {
        if (stage.contains(from) && /Up|Down/.test(key)) continue // these zap
        if (from.matches('textarea, input, select') && key !== 'ArrowDown') continue
        from.focus()
        press(key)
        if (!seen.has(document.activeElement) && document.activeElement !== document.body) {
          seen.add(document.activeElement)
          queue.push(document.activeElement)
        }
      }
    }
    return [...document.querySelectorAll('[data-reach]')].filter(element => !seen.has(element)).map(element => element.outerHTML.slice(0, 120))
  })
  assert.deepEqual(reached, [])
})

flow('how loud it was is how loud it is', {}, async (visit) => {
  const { page } = visit
  await come(visit)
  await page.locator('.stage-bar').getByRole('slider', { name: en('volume') }).fill('0.3')
  await page.keyboard.press('m')
  await page.locator('.stage-bar').getByRole('button', { name: en('unmute') }).waitFor()
  await page.reload()
  await page.waitForFunction(() => { const media = document.querySelector('#stage video'); return media?.volume === 0.3 && media.muted })
  await page.evaluate(() => localStorage.setItem('mm-volume', '"loud"'))
  await page.reload()
  await page.waitForFunction(() => document.querySelector('#stage video')?.volume === 1)
})

flow('a tap shows the controls, and another puts them away', { hasTouch: true, isMobile: true, viewport: { width: 360, height: 780 } }, async (visit) => {
  const { page } = visit
  await come(visit)
  const quiet = value => page.waitForFunction(value => document.querySelector('#stage').hasAttribute('data-quiet') === value, value)
  await quiet(true)
  await page.evaluate(() => document.querySelector('#stage video').addEventListener('pause', () => { window.paused = true }))
  const box = await page.locator('#stage').boundingBox()
  await page.touchscreen.tap(box.x + 20, box.y + 20)
  await quiet(false)
  await page.touchscreen.tap(box.x + 20, box.y + 20)
  await quiet(true)
  assert.equal(await page.evaluate(() => window.paused), undefined, 'a tap pauses nothing')
  await until(async () => {
    if (await page.locator('#stage').getAttribute('data-quiet') !== null) await page.touchscreen.tap(box.x + 20, box.y + 20)
    await page.locator('.stage-middle').getByRole('button', { name: en('next') }).tap({ timeout: 2000 }) // they are away again when that took long
    return true
  }, 'the controls are there to tap')
  await at(page, 'arte.fr')
  visit.forgive(/\/api\/s\//, /ERR_/)
})

flow('the system is told what plays', {}, async (visit) => {
  const { page } = visit
  await come(visit)
  await page.waitForFunction(() => navigator.mediaSession.metadata?.title === 'Miramundo Test Card' && navigator.mediaSession.playbackState === 'playing')
  assert.notEqual(await page.evaluate(() => navigator.mediaSession.metadata.artist), '')
  await page.keyboard.press('k')
  await page.waitForFunction(() => navigator.mediaSession.playbackState === 'paused')
})

flow('a station is seen by its logo and bars', {}, async (visit, stack) => {
  const { page } = visit
  const { items } = await (await fetch(new URL('/api/channels?q=Miramundo%20Test%20Tone&kind=radio', stack.base))).json()
  await page.goto(new URL(path(items[0].id), stack.base).href)
  await page.locator('#stage').getByRole('button', { name: en('play') }).first().click()
  await state(page, 'playing')
  await page.locator('#stage .bars').waitFor()
  await page.locator('#stage .stage-name').getByText(items[0].name).waitFor()
  assert.equal(await page.locator('.stage-bar').getByRole('button', { name: en('pip') }).isVisible(), false)
})

flow('captions look as they were chosen, also the next time', {}, async (visit) => {
  const { page } = visit
  await come(visit)
  await page.evaluate(() => document.querySelector('#stage video').addTextTrack('captions', 'CC1'))
  await ranked(page)
  const choose = async (group, name) => {
    await page.locator('.stage-bar').getByRole('button', { name: en('settings') }).click()
    await page.getByRole('group', { name: en(group), exact: true }).getByRole('menuitemradio', { name, exact: true }).click()
  }
  await choose('captions', 'CC1')
  await choose('caption_size', en('caption_huge'))
  await choose('caption_colour', en('caption_yellow'))
  await choose('caption_ground', en('caption_none'))
  const look = () => page.evaluate(() => {
    const { captionSize, captionColour, captionGround } = document.querySelector('#stage').dataset
    return [captionSize, captionColour, captionGround]
  })
  const chosen = ['huge', 'yellow', 'none']
  assert.deepEqual(await look(), chosen)
  await page.reload()
  await until(async () => (await look())[0] === 'huge', 'the captions are as before')
  assert.deepEqual(await look(), chosen)
  await page.evaluate(() => localStorage.setItem('mm-captions', '{"size":"<b>","colour":1}'))
  await page.reload()
  await until(async () => (await look())[0] === 'normal', 'what is none of the choices is forgotten')
})
