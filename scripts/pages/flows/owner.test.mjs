/** Who calls the API: the account that signed in here, or else the guest. What the service answers is made up, so that it may answer badly. */
import assert from 'node:assert/strict'
import { Guest } from '../api.mjs'
import { flow, until } from '../flow.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key, fields)
const json = (status, body) => ({ status, contentType: 'application/json', body: JSON.stringify(body) })
const none = { categories: 0, groups: 0, items: 0, favorites: 0, history: 0, comments: 0, feeds: 0, public: 0, following: 0 }
const claimed = (movidos, ficaram) => json(200, { ok: true, claimed: { product: { movidos: { ...none, ...movidos }, apagados: none, ficaram: { ...none, ...ficaram }, direitos: 0 } } })

/**
 * Makes a browser that of a guest who has signed in, with storage as given. Answers
 * are by method and path, each a list of which the last is given again; the token of
 * bootstrap is another each time. It returns the calls that were made.
 */
async function signedIn(visit, stack, storage, answers) {
  const guest = await Guest.make(stack.base)
  const calls = []
  let tokens = 0
  const all = {
    'GET /api/auth/bootstrap': [() => json(200, { csrf: `token${++tokens}`, context: 'c' })],
    'GET /api/favorites': [json(200, { items: [], total: 0, limit: 50, offset: 0, next_offset: null })],
    'GET /api/library': [json(200, { feeds: null, categories: [] })],
    ...answers
  }
  await visit.context.route(url => url.pathname.startsWith('/api/'), route => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    const list = all[`${request.method()} ${pathname}`]
    if (!list) return route.continue()
    const headers = request.headers()
    calls.push({ what: `${request.method()} ${pathname}`, guest: headers['x-guest-token'], csrf: headers['x-csrf-token'], body: request.postDataJSON() })
    const answer = list.length > 1 ? list.shift() : list[0]
    return route.fulfill(typeof answer === 'function' ? answer() : answer)
  })
  const kept = { 'mm-guest': guest.token, 'mm-account': 'Ana', ...storage }
  await visit.context.addInitScript(kept => {
    if (location.origin === 'null' || localStorage.getItem('tested')) return // a blank page keeps nothing
    for (const [name, value] of Object.entries({ ...kept, tested: '1' })) localStorage.setItem(name, value)
  }, kept)
  return { token: guest.token, calls, of: what => calls.filter(call => call.what === what) }
}

const stored = (page, name) => page.evaluate(name => localStorage.getItem(name), name)

flow('what a guest had comes along, also when the first try is not the last', {}, async (visit, stack) => {
  visit.forgive(/503/)
  const { page } = visit
  const made = await signedIn(visit, stack, { 'mm-claim': '1' }, {
    'POST /api/auth/claim': [json(503, { error: 'product_claim_pending', message: 'Wait.', retry_after: 1 }), claimed({ categories: 1, groups: 3, items: 9, favorites: 2, feeds: 1 }, {})]
  })
  await visit.go('/en')
  const list = `${say('layout.ui.claim_categories.one', { n: 1 })}, ${say('layout.ui.claim_favorites.other', { n: 2 })}, and ${say('layout.ui.claim_feeds.one')}`
  await page.locator('#toasts').getByText(say('layout.ui.claim_moved', { list })).waitFor()
  assert.deepEqual(made.of('POST /api/auth/claim').map(({ csrf, guest, body }) => ({ csrf, guest, body })),
    Array(2).fill({ csrf: 'token1', guest: undefined, body: { guest_token: made.token } }))
  assert.deepEqual([await stored(page, 'mm-guest'), await stored(page, 'mm-claim'), await stored(page, 'mm-account')], [null, null, 'Ana'])
})

for (const table of ['favorites', 'public', 'following']) {
  flow(`what stays with a guest is told, and the guest stays too: ${table}`, {}, async (visit, stack) => {
    const { page } = visit
    const made = await signedIn(visit, stack, { 'mm-claim': '1' }, { 'POST /api/auth/claim': [claimed({}, { [table]: 1 })] })
    await visit.go('/en')
    await page.locator('#toasts').getByText(say('layout.ui.claim_left', { list: say(`layout.ui.claim_${table}.one`, { n: 1 }) })).waitFor()
    assert.deepEqual([await stored(page, 'mm-guest'), await stored(page, 'mm-claim')], [made.token, null])
  })
}

flow('a claim that the service does not answer is tried again by the next page', {}, async (visit, stack) => {
  visit.forgive(/503/)
  const { page } = visit
  const made = await signedIn(visit, stack, { 'mm-claim': '1' }, {
    'POST /api/auth/claim': [json(503, { error: 'auth_unavailable', message: 'Wait.' }), claimed({ history: 1 }, {})]
  })
  await visit.go('/en')
  await page.locator('#toasts').getByText(say('layout.ui.claim_pending')).waitFor()
  assert.deepEqual([await stored(page, 'mm-guest'), await stored(page, 'mm-claim')], [made.token, '1'])
  await visit.go('/en')
  await page.locator('#toasts').getByText(say('layout.ui.claim_history.one', { n: 1 })).waitFor()
  assert.equal(await stored(page, 'mm-guest'), null)
})

flow('a write of an account is sent once more when its token has ended, and never as the guest', {}, async (visit, stack) => {
  visit.forgive(/403/)
  const { page } = visit
  const made = await signedIn(visit, stack, {}, {
    'POST /api/favorites': [json(403, { error: 'invalid_csrf', message: 'Again.' }), json(200, { ok: true, favorited: true, created: true, channel_id: 'x', favorites: 7 })]
  })
  await visit.go('/en')
  await page.locator('#main .card [data-favorite]').first().click()
  await until(() => made.of('POST /api/favorites').length === 2, 'the favorite is sent again')
  assert.deepEqual(made.of('POST /api/favorites').map(({ csrf }) => csrf), ['token1', 'token2'])
  assert.deepEqual(made.calls.filter(({ guest }) => guest), [])
})

flow('a session without its mark is found by the first write', {}, async (visit, stack) => {
  visit.forgive(/403/)
  const { page } = visit
  const made = await signedIn(visit, stack, {}, {
    'POST /api/favorites': [json(403, { error: 'invalid_csrf', message: 'Again.' }), json(200, { ok: true, favorited: true, created: true, channel_id: 'x', favorites: 7 })]
  })
  await visit.go('/en')
  await page.evaluate(() => localStorage.removeItem('mm-account'))
  await page.locator('#main .card [data-favorite]').first().click()
  await until(() => made.of('POST /api/favorites').length === 2, 'the favorite is sent again')
  assert.equal(made.of('POST /api/favorites')[1].guest, undefined)
  assert.equal(await stored(page, 'mm-account'), '')
})

flow('a session that has ended is never replaced by the guest without a yes', {}, async (visit, stack) => {
  visit.forgive(/401/)
  const { page } = visit
  const ended = json(401, { error: 'session_ended', message: 'Over.' })
  const made = await signedIn(visit, stack, {}, {
    'GET /api/favorites': [ended], 'POST /api/favorites': [ended], 'POST /api/auth/logout': [json(200, { ok: true })]
  })
  await visit.go('/en')
  const box = page.getByRole('dialog', { name: say('layout.ui.ended') })
  await box.waitFor()
  await page.keyboard.press('Escape')
  await page.locator('#main .card [data-favorite]').first().click()
  await box.waitFor()
  assert.equal(await page.locator('#main .card [data-favorite]').first().getAttribute('aria-pressed'), 'false')
  assert.match(await box.getByRole('link', { name: say('layout.ui.ended_sign_in') }).getAttribute('href'), /^\/en\/sign-in$/)
  assert.deepEqual(made.calls.filter(({ guest }) => guest), [])
  await box.getByRole('button', { name: say('layout.ui.ended_guest') }).click()
  await until(() => made.calls.some(({ guest }) => guest === made.token), 'the guest is back')
  assert.equal(made.of('POST /api/auth/logout')[0].csrf?.startsWith('token'), true)
  await until(async () => await stored(page, 'mm-guest') === made.token && await stored(page, 'mm-account') === null, 'the browser keeps the guest alone') // the page may be loading anew
})
