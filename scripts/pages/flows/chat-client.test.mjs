/** The chat panel with a room that the test plays: what is lost, doubled, refused or hostile on the way. */
import assert from 'node:assert/strict'
import { barriers, inTheme, layout, windows } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { Guest } from '../api.mjs'
import { names } from '../hostile.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const path = `/en/channel/${testChannel}`

/** A room whose messages the test keeps. `on` and `onHello` may answer what the page sends themselves, by returning true; `entry` chooses what a page gets when it enters. */
class Room {
  items = []
  sockets = []
  away = false // no socket is let in
  greetings = []
  received = []

  static async of(visit, { active = true, on = () => false, onHello = () => false, entry = items => items.slice(-50) } = {}) {
    const room = new Room()
    room.on = on
    room.onHello = onHello
    await visit.context.route('**/api/billing', route => route.fulfill({ json: { prices: { chat_month_usd: '0.10' }, chat: { active, until: null } } }))
    await visit.context.routeWebSocket(/\/api\/chat\/.*\/ws/, socket => {
      room.sockets.push(socket)
      if (room.away) return socket.close({ code: 1013 })
      socket.onMessage(data => room.take(socket, JSON.parse(data)))
      room.ready(socket, null, entry(room.items))
    })
    return room
  }

  ready(socket, autor, items, more = {}) {
    socket.send(JSON.stringify({ t: 'pronto', autor, items, watching: this.sockets.length, ...more }))
  }

  add(body, autor = 'Ana', more = {}) {
    const item = { id: `m${this.items.length}`, autor, body, at: new Date().toISOString(), ...more }
    this.items.push(item)
    return item
  }

  take(socket, message) {
    if (message.t === 'hello') {
      this.greetings.push(message)
      if (this.onHello(socket, message, this)) return
      const at = this.items.findIndex(({ id }) => id === message.depois)
      return this.ready(socket, 'Lume', at < 0 ? this.items.slice(-50) : this.items.slice(at + 1).slice(0, 200))
    }
    this.received.push(message)
    if (this.on(socket, message, this)) return
    this.deliver(socket, message)
  }

  /** Stores a message once for its ref, and sends it back. */
  deliver(socket, { body, ref }) {
    const item = this.items.find(item => item.ref === ref) ?? this.add(body, 'Lume', { ref, mine: true })
    socket.send(JSON.stringify({ t: 'msg', ...item }))
  }
}

async function open(visit, stack) {
  const guest = await Guest.make(stack.base)
  await guest.become(visit.context)
  await visit.go(path)
  await visit.page.locator('#chat-toggle').click()
}

const bodies = page => page.locator('.chat-message:not(.sending) .chat-body').allTextContents()

async function write(page, body) {
  await page.locator('.chat-form textarea').fill(body)
  await page.locator('.chat-form textarea').press('Enter')
}

/** Notes in the page, as `window.shown`, in how many rows a text was at a time, from when it was first there. */
function watchRows(page, body) {
  return page.evaluate(body => {
    window.shown = []
    new MutationObserver(() => {
      const n = [...document.querySelectorAll('.chat-body')].filter(row => row.textContent === body).length
      if (n !== (window.shown.at(-1) ?? 0)) window.shown.push(n)
    }).observe(document.querySelector('.chat-list'), { childList: true })
  }, body)
}

flow('a message whose connection is lost arrives once', {}, async (visit, stack) => {
  const { page } = visit
  let lost = 0
  const room = await Room.of(visit, {
    on(socket, message, room) {
      if (lost === 2) return false
      if (lost++ === 1) room.late = room.add(message.body, 'Lume', { ref: message.ref, mine: true }) // stored, and its answer is lost
      void socket.close({ code: lost === 1 ? 1001 : 1011 })
      return true
    },
    onHello(socket, { depois }, room) { // which does not know yet what was just stored
      const missed = room.items.slice(room.items.findIndex(({ id }) => id === depois) + 1)
      room.ready(socket, 'Lume', missed.filter(item => item !== room.late))
      return true
    }
  })
  room.add('before')
  await open(visit, stack)
  await page.getByText('before').waitFor()
  await watchRows(page, 'only once')
  await write(page, 'only once')
  room.add('meanwhile')
  await until(async () => (await bodies(page)).includes('only once'), 'the message is acknowledged')
  assert.deepEqual(await bodies(page), ['before', 'meanwhile', 'only once'])
  assert.equal(await page.locator('.chat-message.sending').count(), 0)
  assert.deepEqual(await page.evaluate(() => window.shown), [1])
  assert.equal(new Set(room.received.map(({ ref }) => ref)).size, 1)
  assert.equal(room.received.length, 3)
  assert.ok(room.greetings.some(({ depois }) => depois === 'm0'))
})

flow('a message that was stored before its connection was lost is not sent again', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit, {
    entry: () => [],
    on(socket, { ref, body }, room) {
      room.add(body, 'Lume', { ref, mine: true })
      void socket.close({ code: 1001 })
      return true
    }
  })
  await open(visit, stack)
  await page.locator('.chat-note').waitFor()
  await watchRows(page, 'stored')
  await write(page, 'stored')
  await until(async () => (await bodies(page)).includes('stored'), 'the message is shown as stored')
  assert.equal(await page.locator('.chat-list > *').count(), 1)
  assert.deepEqual(await page.evaluate(() => window.shown), [1])
  assert.equal(room.received.length, 1)
})

flow('a room that was away is entered soon after it is back, and at once by those who write', {}, async (visit, stack) => {
  const { page } = visit
  await page.clock.install()
  await page.addInitScript(() => { Math.random = () => 1 - Number.EPSILON }) // every wait takes as long as it may
  const room = await Room.of(visit)
  room.add('before')
  await open(visit, stack)
  await page.getByText('before').waitFor()
  const now = () => page.evaluate(() => performance.now())
  const passes = async check => {
    while (!await check()) await page.clock.runFor(500)
  }
  const lost = async () => {
    room.away = true
    await room.sockets.at(-1).close({ code: 1001 })
    await page.getByText(say('chat.ui.reconnecting')).waitFor()
    const since = await now()
    await passes(async () => await now() - since > 32_000)
    room.away = false
    return { away: await now() - since, tried: room.sockets.length }
  }
  const { away, tried } = await lost()
  const back = await now()
  await passes(() => room.sockets.length > tried)
  const waited = await now() - back
  assert.ok(waited < 3000 + away / 2, `it was away for ${away} ms, and entered ${waited} ms later`)
  await page.getByText(say('chat.ui.reconnecting')).waitFor({ state: 'hidden' })

  await lost()
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100)) // no wait ends any more
  await write(page, 'here I am')
  await until(() => room.received.length > 0, 'the message is sent')
  await page.clock.resume()
  await until(async () => (await bodies(page)).includes('here I am'), 'the message is stored')
})

flow('what is refused is said in words, and its text is given back', {}, async (visit, stack) => {
  const { page } = visit
  const answers = [{ code: 'vazio', message: 'Too fast.', retry_after: 3 }, { code: 'auth' }, { code: 'pago', reason: 'payment_required' }]
  await Room.of(visit, { on: (socket, { ref }) => { socket.send(JSON.stringify({ t: 'erro', ref, ...answers.shift() })); return true } })
  await open(visit, stack)
  const problem = page.locator('#chat-problem')
  for (const words of [/^Too fast\. .*3 seconds/, new RegExp(say('chat.ui.refused_auth')), new RegExp(say('chat.ui.refused_pago'))]) {
    await write(page, 'my words')
    await until(async () => words.test(await problem.textContent()), `the page says ${words}`)
    assert.equal(await page.locator('.chat-form textarea').inputValue(), 'my words')
  }
  assert.match(await page.locator('.chat-wall').textContent(), /\$0\.10/)
  assert.equal(await page.locator('.chat-form').isVisible(), false)
})

flow('a guest is kept while the room cannot identify it, and what it missed is shown', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit, {
    entry: items => items.slice(0, 1),
    onHello(socket, _, room) {
      socket.send(JSON.stringify({ t: 'erro', code: 'auth', reason: 'too_many_sockets', message: 'Too many rooms are open.' }))
      socket.send(JSON.stringify({ t: 'msg', ...room.items[2] }))
      room.ready(socket, null, room.items.slice(1))
      return true
    }
  })
  for (const body of ['first', 'missed', 'new']) room.add(body)
  const guest = await Guest.make(stack.base)
  await guest.become(visit.context)
  await visit.go(path)
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage, 'mm-chat': null }))
  const before = await kept()
  await page.locator('#chat-toggle').click()
  await until(async () => (await page.locator('#chat-problem').textContent()) === 'Too many rooms are open.', 'the page says why')
  await until(async () => (await bodies(page)).length === 3, 'all messages are shown')
  assert.deepEqual(await bodies(page), ['first', 'missed', 'new'])
  assert.equal(await kept(), before)
})

flow('a page that comes back does not show what was removed, and reads on after the newest', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit)
  for (const body of ['one', 'removed meanwhile', 'three']) room.add(body)
  await visit.go(path)
  await page.locator('#chat-toggle').click() // as a visitor without a guest
  await page.getByText('three').waitFor()
  room.items.splice(1, 1)
  await room.sockets[0].close({ code: 1001 })
  await until(async () => (await bodies(page)).length === 2, 'the removed message is gone')
  assert.deepEqual(await bodies(page), ['one', 'three'])

  await open(visit, stack)
  await page.locator('#chat-toggle').click()
  await page.getByText('three').waitFor()
  const socket = room.sockets.at(-1)
  socket.send(JSON.stringify({ t: 'msg', id: 'ancient', autor: 'Ana', body: '', at: new Date().toISOString(), apagada: true }))
  const n = room.greetings.length
  await socket.close({ code: 1001 })
  await until(async () => room.greetings.length > n, 'the page greets again')
  assert.equal(room.greetings.at(-1).depois, 'm2')
})

flow('a message that is removed in the moment in which it comes is not shown', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit, {
    entry: items => items.slice(0, 1),
    onHello(socket, _, room) {
      room.ready(socket, 'Lume', [...room.items, { ...room.items[1], body: '', apagada: true }])
      return true
    }
  })
  for (const body of ['first', 'hateful', 'last']) room.add(body)
  await open(visit, stack)
  await page.locator('.chat-body').getByText('last').waitFor()
  assert.deepEqual(await bodies(page), ['first', say('chat.ui.removed'), 'last'])
})

flow('pages of missed messages end when nothing new comes', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit, {
    entry: items => items.slice(0, 1),
    onHello(socket, { depois }, room) {
      room.ready(socket, 'Lume', depois === undefined ? room.items.slice(-1) : [], { more: depois !== undefined })
      return true
    }
  })
  for (const body of ['old', 'newest']) room.add(body)
  await open(visit, stack)
  await page.getByText('newest').waitFor()
  assert.deepEqual(await bodies(page), ['newest'])
  assert.deepEqual(room.greetings.map(({ depois }) => depois), ['m0', undefined])
})

flow('hostile messages change no page, and a removed one is replaced', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit)
  const zalgo = 'z\u0351\u0357\u030b\u0342\u0309\u0344\u0313'.repeat(60)
  const all = [...names, zalgo, 'https://example.org javascript:alert(1)', 'x'.repeat(10_000), '\u202E\u2066evil', ' \u200b ']
  for (const body of all) room.add(body, body.slice(0, 60))
  await open(visit, stack)
  await page.locator(`[data-message="m${all.length - 1}"]`).waitFor()
  assert.deepEqual(await bodies(page), all)
  assert.equal(await page.locator('#chat :is(a, img, script)').count(), 0)
  room.sockets[0].send(JSON.stringify({ t: 'msg', ...room.items[0], body: '', apagada: true }))
  await until(async () => (await bodies(page))[0] === say('chat.ui.removed'), 'the message is replaced')
  for (const window of [windows[0], windows[3]]) {
    await page.setViewportSize(window)
    assert.deepEqual(await layout(page), [])
    const outside = await page.locator('.chat-message').evaluateAll(rows => rows.filter(row => row.scrollWidth > row.clientWidth).length)
    assert.equal(outside, 0)
    for (const theme of ['light', 'dark']) {
      await inTheme(page, theme)
      assert.deepEqual(await barriers(page), [])
    }
  }
  assert.equal(await page.evaluate(() => window.pwned), undefined)
})

flow('the panel is remembered, moves nothing, and is used by keys alone', {}, async (visit, stack) => {
  const { page } = visit
  const room = await Room.of(visit)
  for (let n = 0; n < 12; n++) room.add(`message ${n}`)
  await visit.go(path)
  assert.equal(room.sockets.length, 0) // nothing is loaded until it is opened
  await page.locator('#chat-toggle').focus()
  await page.keyboard.press('Enter')
  await page.getByText('message 11').waitFor()
  await visit.go(path)
  await page.getByText('message 11').waitFor()
  const moved = await page.evaluate(() => window.layoutMoved.reduce((sum, { value }) => sum + value, 0))
  assert.ok(moved < 0.001, `the panel moved the page by ${moved}`) // a letter whose font arrives late is less
  await page.locator('.chat-form textarea').waitFor()
  const scroller = page.locator('.chat-scroller')
  assert.equal(await scroller.getAttribute('role'), 'log')
  await until(async () => (await scroller.getAttribute('aria-live')) === 'polite', 'new messages are announced')
  await scroller.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  assert.match(await page.evaluate(() => document.activeElement.textContent), /message 10/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText(say('guard.ui.report')).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('#chat-toggle').focus()
  await page.keyboard.press('Enter')
  await page.locator('.chat-scroller').waitFor({ state: 'hidden' })
  await page.reload()
  assert.equal(await page.locator('#chat-toggle').getAttribute('aria-expanded'), 'false')
})

const mostWork = 0.1 // seconds of its processor that the page may take for a frame

flow('a thousand messages hold no frame up', {}, async (visit, stack) => {
  const { context, page } = visit
  const room = await Room.of(visit)
  room.add('first')
  await open(visit, stack)
  await page.locator('.chat-body').getByText('first').waitFor()
  await page.evaluate(() => {
    window.drawn = [] // rows that were added, frame by frame
    new MutationObserver(changes => window.drawn.push(changes.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0)))
      .observe(document.querySelector('.chat-list'), { childList: true })
  })
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' }) // which do not run while the machine does something else
  const worked = async () => (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value
  const before = await worked()
  for (let n = 0; n < 1000; n++) room.sockets[0].send(JSON.stringify({ t: 'msg', ...room.add(`line ${n} ${'and more words '.repeat(n % 9)}`) }))
  await page.getByText('line 999').waitFor()
  const took = await worked() - before
  const drawn = await page.evaluate(() => window.drawn)
  assert.equal(drawn.reduce((sum, n) => sum + n, 0), 1000)
  assert.ok(Math.max(...drawn) <= 20, `${Math.max(...drawn)} rows in one frame`)
  assert.ok(took / drawn.length < mostWork, `${drawn.length} frames took ${took} s of work`)
  await page.locator('.chat-scroller').evaluate(log => { log.scrollTop = -4000 })
  room.sockets[0].send(JSON.stringify({ t: 'msg', ...room.add('the newest') }))
  const jump = page.getByText(say('chat.ui.unseen.one', { n: 1 }))
  await jump.click()
  await jump.waitFor({ state: 'hidden' })
  assert.equal(await page.locator('.chat-message').count(), 1000)
  assert.ok(await page.locator('.chat-scroller').evaluate(log => log.scrollTop > -2))
})
