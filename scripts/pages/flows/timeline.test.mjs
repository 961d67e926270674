/** The grid of channels and hours: by keys and by touch, what a programme offers, reminders, and finding programmes. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { at, flow, until } from '../flow.mjs'
import { grid, half, made, open } from '../guide.mjs'
import { text } from '../texts.mjs'

const day = 24 * 60 * 60_000 // ms

const focused = page => page.evaluate(() => {
  const here = document.activeElement
  const row = here.closest('[data-row]')
  return { row: row ? Number(row.dataset.row) : null, start: here.dataset.start ? Number(here.dataset.start) : null, kind: here.className || here.localName, seen: here.getBoundingClientRect().width > 0 }
})

/** Waits until the focus is somewhere, as a check tells. */
async function stands(page, check, what) {
  let last
  await until(async () => check(last = await focused(page)), what).catch(error => { throw new Error(`${error.message}; it is at ${JSON.stringify(last)}`) })
}

flow('go through the grid with a keyboard or a remote control', {}, async visit => {
  const { page } = visit
  await open(visit, 300)
  const now = Math.floor(Date.now() / half) * half
  await page.locator('#grid [tabindex="0"]').focus()
  await page.keyboard.press('Home')
  await stands(page, ({ row, start }) => row === 0 && start >= now && start <= now + half, 'at what is on')
  const { start } = await focused(page)

  // In time, and between channels at the same hour.
  await page.keyboard.press('ArrowRight')
  await stands(page, f => f.start === start + half, 'right is the next programme')
  await page.keyboard.press('ArrowDown')
  await stands(page, f => f.row === 1 && f.start === start + half, 'down is the next channel at that hour')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await stands(page, f => f.row === 1 && f.start === start - half, 'left is the programme before')
  await page.keyboard.press('PageDown')
  await stands(page, f => f.row > 3, 'a page of channels')

  // Far away, where nothing had been drawn; and only what is near is in the document.
  for (let n = 0; n < 40; n++) await page.keyboard.press('ArrowRight')
  await stands(page, f => f.start === start + 39 * half && f.seen, 'forty programmes on')
  await page.evaluate(() => { document.querySelector('#grid').scrollTop = 250 * 64 })
  await page.locator('.tl-row[data-row="252"] .tl-cell').first().waitFor()
  assert.ok(await page.locator('.tl-cell').count() < 400)
  assert.ok(await page.locator('.tl-row').count() < 40)
  await page.keyboard.press('Home')
  await stands(page, f => f.start >= now && f.seen, 'home is what is on')

  // Before the first programme is the channel, and above the first row what stands above.
  for (let n = 0; n < 12; n++) await page.keyboard.press('ArrowLeft')
  await stands(page, f => f.start === null && f.kind === 'a', 'the channel')
  await page.keyboard.press('ArrowRight')
  await stands(page, f => f.start !== null, 'back among the programmes')
  for (let n = 0; n < 10; n++) await page.keyboard.press('PageUp')
  await stands(page, f => f.row === 0, 'the first row')
  await page.keyboard.press('ArrowUp')
  await stands(page, f => f.row === null, 'above the grid')
  for (let n = 0; n < 4 && (await focused(page)).row === null; n++) await page.keyboard.press('ArrowDown') // past what is between
  await stands(page, f => f.row !== null, 'in the grid again')

  // Enter opens, and Escape leads back.
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  const before = await focused(page)
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('link', { name: text('en', 'schedule.ui.watch') }).waitFor()
  assert.match(await sheet.getByRole('link', { name: text('en', 'schedule.ui.calendar') }).getAttribute('href'), /^\/api\/channels\/Made000\.br\/guia\.ics\?start=/)
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await stands(page, f => f.row === before.row && f.start === before.start, 'where one was')
})

flow('no key is lost while programmes are on their way', {}, async visit => {
  const { page } = visit
  await open(visit, 5)
  await page.locator('#grid [tabindex="0"]').focus()
  await page.keyboard.press('Home')
  await stands(page, ({ start }) => start !== null, 'at what is on')
  const { start } = await focused(page)
  let release
  const held = new Promise(resolve => { release = resolve })
  await visit.context.route('**/api/guide/grid?*', async route => { await held; await route.fallback() })
  for (let n = 0; n < 45; n++) await page.keyboard.press('ArrowRight') // more than what a page asks for at first, whatever the hour
  await stands(page, f => f.start < start + 45 * half, 'at the last one that is here')
  release()
  await stands(page, f => f.start === Math.min(start + 45 * half, endOfGuide() - half), 'as many on as were pressed')
})

/** When the programmes of the grid end: with tomorrow, in UTC. */
const endOfGuide = () => (Math.floor(Date.now() / day) + 2) * day

/** Runs in each page before its own scripts: notifications as a browser has them whose visitor allows all, noted in place of shown. */
function notices() {
  if (location.origin === 'null') return // a blank page keeps nothing
  window.Notification = class extends EventTarget {
    static get permission() { return localStorage.getItem('allowed') ?? 'default' }
    static async requestPermission() { localStorage.setItem('allowed', 'granted') }
    constructor(title, { body }) {
      super()
      localStorage.setItem('noticed', `${title}, ${body}`)
    }
  }
}

flow('be reminded of a programme', { timezoneId: 'America/Sao_Paulo', locale: 'en-GB' }, async visit => {
  const { page } = visit
  await page.clock.install()
  await visit.context.addInitScript(notices)
  await open(visit, 5)
  assert.equal(await page.evaluate(() => Notification.permission), 'default', 'nothing is asked before a reminder is set')
  await page.locator('#grid [tabindex="0"]').focus()
  await page.keyboard.press('Home')
  await stands(page, ({ start }) => start !== null, 'at what is on')
  const { start: on } = await focused(page)
  for (const n of [1, 2]) { // the one after the next: the next may begin while it is looked at
    await page.keyboard.press('ArrowRight')
    await stands(page, ({ start }) => start === on + n * half, `${n} programmes on`)
  }
  const begins = on + 2 * half
  const next = await page.evaluate(() => document.activeElement.textContent)
  assert.match(next, /Made 0 at .*\d\d:\d\d – \d\d:\d\d$/, 'hours are those of the reader, of 24')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: text('en', 'schedule.ui.remind') }).click()
  await page.getByRole('button', { name: text('en', 'schedule.ui.reminded') }).waitFor()
  assert.equal(await page.evaluate(() => Notification.permission), 'granted')
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('#reminders-count').textContent(), '1')

  // They are listed, and those that are broken are not.
  await page.evaluate(() => {
    const all = JSON.parse(localStorage.getItem('mm-reminders'))
    localStorage.setItem('mm-reminders', JSON.stringify([...all, null, 7, { id: 'x' }, { ...all[0], id: 'Evil', path: '//evil.example/' }]))
  })
  await page.locator('#reminders').click()
  assert.equal(await page.locator('.reminder-row').count(), 1)
  await page.keyboard.press('Escape')

  // On another page it is said when it begins, and leads to the channel.
  await page.goto(`${visit.base}/en/about`)
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('.toast').count(), 0)
  await page.clock.fastForward(begins - await page.evaluate(() => Date.now()) + 1000)
  const toast = page.locator('.toast', { hasText: 'Made 0' })
  await toast.waitFor()
  const noticed = await until(() => page.evaluate(() => localStorage.getItem('noticed')), 'a notification is shown')
  assert.match(noticed, /^Made 0 at \d\d:\d\d, Made 0$/)
  visit.forgive(/Made000/)
  await toast.getByRole('button', { name: text('en', 'layout.ui.watch') }).click()
  await at(page, url => url.pathname === '/en/channel/Made000.br', 'the channel')

  // It is said once, and is gone from the list when it is over.
  await page.goto(`${visit.base}/en/about`)
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('.toast').count(), 0)
  await page.clock.fastForward(2 * half)
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('mm-reminders') ?? '[]').filter(({ stop }) => Date.parse(stop) > Date.now()).length), 0)
})

flow('look at the grid with fingers, and at what is kept', { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true }, async (visit, stack) => {
  const { page } = visit
  const guest = await Guest.make(stack.base)
  for (const channel_id of ['DWEnglish.de', 'France24.fr']) await guest.call('POST', '/api/favorites', { channel_id })
  await guest.become(visit.context)
  await open(visit, 30)
  await page.locator('.tl-cell.tl-on').first().tap()
  await page.getByRole('dialog').getByRole('link', { name: text('en', 'schedule.ui.watch') }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: text('en', 'layout.ui.close') }).tap()

  // Buttons go on, and to now.
  const left = () => page.evaluate(() => document.querySelector('#grid').scrollLeft)
  const first = await left()
  await page.locator('[data-to="later"]').tap()
  assert.ok(await left() > first)
  await page.locator('[data-to="now"]').tap()
  await until(async () => Math.abs(await left() - first) < 20, 'it is now again')

  // The favorites are a choice, and those without a guide are not in it.
  await page.locator('#schedule-country option[value="of:favorites"]').waitFor({ state: 'attached' })
  await page.locator('#schedule-country').selectOption('of:favorites')
  await at(page, url => url.searchParams.get('of') === 'favorites', 'that of the favorites')
  await page.locator('#timeline .empty').waitFor() // the made-up guide has none of them
})

flow('a channel keeps its own programmes when the order of channels changes', {}, async visit => {
  const { page } = visit
  await open(visit, 6)
  await visit.context.unroute('**/api/guide/grid?*')
  const tell = made(6)
  await visit.context.route('**/api/guide/grid?*', route => {
    const answer = tell(new URL(route.request().url()))
    return route.fulfill({ json: { ...answer, items: answer.items.reverse() } })
  })
  const turned = page.waitForResponse(/guide\/grid/)
  await page.locator('[data-to="tomorrow"]').evaluate(button => {
    document.querySelector('#grid').scrollLeft = document.querySelector('#grid').scrollWidth
    button.blur()
  })
  await turned
  await until(() => page.locator('.tl-cell').count(), 'there are programmes')
  const strange = await page.evaluate(() => [...document.querySelectorAll('.tl-row')].flatMap(row => {
    const name = document.querySelector(`.tl-channel[data-row="${row.dataset.row}"] .tl-name`).textContent
    return [...row.querySelectorAll('.tl-title')].map(title => title.textContent).filter(title => !title.startsWith(`${name} at`)).map(title => `${title} in the row of ${name}`)
  }))
  assert.deepEqual(strange, [])
  assert.equal(await page.locator('.tl-row').count(), 6)
})

flow('reminders that this site did not write are none', {}, async visit => {
  const { page } = visit
  const one = { id: 'A.br', name: 'A', path: '/en/channel/A.br', title: 'A film', start: new Date(Date.now() + day).toISOString(), stop: new Date(Date.now() + 2 * day).toISOString() }
  const all = [one, null, 1, [], { ...one, id: 7 }, { ...one, path: '//elsewhere.example' }, { ...one, path: '/\\elsewhere.example' }, { ...one, path: '/\t/elsewhere.example' }, { ...one, stop: 'x' }]
  await page.addInitScript(text => localStorage.setItem('mm-reminders', text), JSON.stringify(all))
  await page.goto(`${visit.base}/en/schedule`)
  await page.locator('#reminders').click()
  await page.locator('.reminder-row').waitFor()
  assert.equal(await page.locator('.reminder-row').count(), 1)
})

flow('look at tomorrow, and at a guide that fails', {}, async visit => {
  const { page } = visit
  await open(visit, 3)
  const tomorrow = page.locator('[data-to="tomorrow"]')
  if (await tomorrow.isEnabled()) {
    await tomorrow.click()
    const corner = await page.locator('.tl-corner').textContent()
    assert.equal(corner, new Intl.DateTimeFormat('en', { weekday: 'short' }).format(new Date(Date.now() + day)))
  }
  visit.forgive(/api\/guide\/grid/)
  await visit.context.unroute('**/api/guide/grid?*')
  await visit.context.route('**/api/guide/grid?*', route => route.fulfill({ status: 503, json: { error: 'catalog_unavailable', message: '' } }))
  await page.reload()
  await page.locator('.toast', { hasText: text('en', 'schedule.ui.failed') }).waitFor()
  await visit.context.unroute('**/api/guide/grid?*')
  const tell = made(3)
  await visit.context.route('**/api/guide/grid?*', route => route.fulfill({ json: tell(new URL(route.request().url())) }))
  await page.locator('.toast').getByRole('button', { name: text('en', 'schedule.ui.retry') }).click()
  await page.locator('.tl-cell').first().waitFor()
})

flow('see what is on without a script', { javaScriptEnabled: false }, async visit => {
  const { page } = visit
  visit.forgive(/^request: csp .*\.js$/)
  await page.goto(visit.base + grid)
  assert.equal(await page.locator('#timeline').isVisible(), false)
  assert.ok(await page.locator('#airings').isVisible())
  await page.locator('#programme-q').fill('qwertyuiop')
  await page.locator('.schedule-apply').click()
  await page.waitForURL(url => url.searchParams.get('q') === 'qwertyuiop')
  await page.locator('#airings .empty').waitFor()
})
