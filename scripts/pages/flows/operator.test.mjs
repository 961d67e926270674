/** The operator's page: signing in, a reload that refuses something, a dead letter, a block, a job, and what the page says when it cannot work. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { barriers, layout } from '../browser.mjs'
import { flow, until } from '../flow.mjs'
import { addDeadLetter, metricsToken, operatorToken, root, start } from '../stack.mjs'
import { text } from '../texts.mjs'

const say = (key, fields) => text('en', key.startsWith('moderation.') ? key : `operator.ui.${key}`, fields)
const hostile = '</pre><img src=x onerror="window.broken = true"> <b>locked</b>'

/** Opens a tab of the page as the operator. */
async function work(visit, tab) {
  await visit.go(`/en/operator#${tab}`)
  await enter(visit.page, operatorToken)
  return shown(visit.page)
}

async function enter(page, token) {
  await page.getByLabel(say('moderation.ui.token')).fill(token)
  await page.getByLabel(say('moderation.ui.by')).fill('Olga')
  await page.keyboard.press('Enter')
}

const shown = page => page.locator('#operator-panel:not([aria-busy])').waitFor()
const dialog = page => page.getByRole('dialog')
const part = (page, name) => page.getByRole('region', { name, exact: true }).filter({ has: page.locator('h2') })
const row = (page, name) => page.locator('#operator-panel tr', { hasText: name })

/** Answers what a dialog asks, and waits until it is closed. */
async function agree(page, label) {
  await dialog(page).getByRole('button', { name: label, exact: true }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await shown(page)
}

flow('sign in as the operator, move between the tabs by the keyboard, and leave', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/\/api\/(admin|vitrine)\/|status of 401/)
  await visit.go('/en/operator')
  assert.equal(await page.locator('meta[name=robots]').getAttribute('content'), 'noindex')
  await enter(page, 'a wrong token')
  await page.locator('#operator .wrong').filter({ hasText: /./ }).waitFor()
  assert.equal(await page.locator('#operator [role=tab]').count(), 0)
  await page.getByLabel(say('metrics')).fill('another wrong token')
  await enter(page, operatorToken)
  await page.locator('#operator .wrong').filter({ hasText: say('metrics') }).waitFor()
  await page.getByLabel(say('metrics')).fill(metricsToken)
  await page.keyboard.press('Enter')
  await shown(page)
  const tab = name => page.getByRole('tab', { name: say(name), exact: true })
  await tab('tab_overview').focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await tab('tab_catalog').getAttribute('aria-selected'), 'true')
  await page.keyboard.press('End')
  assert.ok(await tab('tab_guides').evaluate(one => one === document.activeElement))
  await shown(page)
  assert.equal(new URL(page.url()).hash, '#guides')
  await page.reload() // the tab keeps the token, and the address the tab
  await shown(page)
  assert.equal(await tab('tab_guides').getAttribute('aria-selected'), 'true')
  for (const secret of [operatorToken, metricsToken]) {
    assert.ok(!page.url().includes(secret), 'the address has the token')
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).includes(secret), 'the browser keeps the token')
  }
  await page.getByRole('button', { name: say('moderation.ui.leave') }).click()
  await page.getByLabel(say('moderation.ui.token')).waitFor()
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
  await visit.go('/en/operator')
  assert.equal(await page.locator('#operator [role=tab]').count(), 0)
})

flow('a token that is replaced ends the session', {}, async visit => {
  const { page } = visit
  visit.forgive(/\/api\/admin\/|status of 401/)
  await work(visit, 'jobs')
  await page.evaluate(() => sessionStorage.setItem('mm-operator', 'replaced'))
  await page.reload()
  await page.getByLabel(say('moderation.ui.token')).waitFor()
  assert.notEqual(await page.locator('#operator .wrong').textContent(), '')
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
})

flow('a service that does not respond is named, and the other parts are shown', {}, async visit => {
  const { page } = visit
  visit.forgive(/\/api\/admin\/|status of 503/)
  await page.route('**/api/admin/events', route => route.fulfill({ status: 503, json: { error: 'operator_token_unavailable', message: 'This service has no operator token.' } }))
  await work(visit, 'overview')
  const concern = page.locator('.operator-concerns li', { hasText: 'This service has no operator token.' })
  await concern.waitFor()
  await part(page, say('state')).waitFor()
  await concern.getByRole('button').click()
  await page.locator('#operator-panel .wrong', { hasText: `This service has no operator token. ${say('moderation.ui.set_token')}` }).waitFor()
})

/** What the overview says of events that failed, however many: what other tests leave may be among them. */
const failed = new RegExp(say('events_dead.other', { n: '#' }).replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('#', '\\d+'))

flow('replay a dead letter, and drop another with a reason', {}, async (visit, stack) => {
  const { page } = visit
  const channel = 'TVCamara.br' // which no other test favors: its count must grow by one
  const favorites = async () => (await (await fetch(new URL(`/api/channels/${channel}`, stack.base))).json()).social.favorites
  const before = await favorites()
  const good = await addDeadLetter(stack, channel, hostile), bad = await addDeadLetter(stack, channel, 'spoiled')
  await work(visit, 'overview')
  await page.locator('.operator-concerns li', { hasText: failed }).getByRole('button').click()
  await shown(page)
  assert.equal(await row(page, good).locator('.operator-error').textContent(), hostile)
  await row(page, good).locator('summary').click()
  assert.match(await row(page, good).locator('pre').textContent(), new RegExp(`"channel":"${channel}"`))
  await page.getByRole('button', { name: say('replay_event', { id: good }) }).click()
  await agree(page, say('replay'))
  await until(async () => await favorites() === before + 1, 'the favorite is counted')

  await page.getByRole('button', { name: say('drop_event', { id: bad }) }).click()
  await dialog(page).getByText(say('drop_note')).waitFor()
  await dialog(page).getByRole('button', { name: say('drop'), exact: true }).click()
  assert.equal(await dialog(page).count(), 1, 'it asks for a reason')
  await dialog(page).getByLabel(say('moderation.ui.reason')).fill('not a favorite')
  await agree(page, say('drop'))
  await row(page, bad).and(page.locator('tr:has(.operator-error)')).waitFor({ state: 'detached' })
  const log = part(page, say('moderation.ui.log')).locator('tr', { hasText: bad })
  await log.getByText('not a favorite').waitFor()
  await log.getByText('Olga').waitFor()
  assert.equal(await favorites(), before + 1)
  assert.equal(await page.evaluate(() => window.broken), undefined)
})

flow('block a channel and lift the block', {}, async (visit, stack) => {
  const { page } = visit
  const status = async () => (await fetch(new URL('/api/channels/NASATV.us', stack.base))).status
  await work(visit, 'blocks')
  await page.getByLabel(say('value')).fill('NASATV.us')
  await page.getByLabel(say('moderation.ui.reason')).fill(hostile)
  await page.keyboard.press('Enter')
  await dialog(page).getByText(say('block_note_channel')).waitFor()
  await page.keyboard.press('Escape') // nothing happens
  assert.equal(await status(), 200)
  await page.locator('#operator-panel form').getByRole('button', { name: say('block'), exact: true }).click()
  await agree(page, say('block'))
  assert.ok((await row(page, 'NASATV.us').textContent()).includes(hostile))
  await until(async () => await status() === 404, 'the channel is gone')
  await page.getByRole('button', { name: say('lift_block', { value: 'NASATV.us' }) }).click()
  await agree(page, say('lift'))
  await page.getByText(say('no_blocks')).waitFor()
  await until(async () => await status() === 200, 'the channel is back')
  assert.equal(await page.evaluate(() => window.broken), undefined)
})

flow('run a job by hand and read its report', {}, async visit => {
  const { page } = visit
  await work(visit, 'jobs')
  await page.getByRole('button', { name: say('run_job', { name: 'outbox-sweep' }) }).click()
  await agree(page, say('run'))
  await page.locator('#toasts', { hasText: say('job_done', { name: 'outbox-sweep' }) }).waitFor()
  await row(page, 'outbox-sweep').getByText(say('succeeded')).waitFor()
  await page.getByRole('button', { name: say('reports_of', { name: 'outbox-sweep' }) }).click()
  assert.match(await dialog(page).locator('pre').first().textContent(), /"sent": \d+/)
})

flow('a job that is running and reports that cannot be read say so', {}, async visit => {
  const { page } = visit
  visit.forgive(/\/api\/admin\/jobs|status of (409|503)/)
  await work(visit, 'jobs')
  const name = 'outbox-sweep'
  await page.route(`**/api/admin/jobs/${name}`, route => route.fulfill(route.request().method() === 'POST'
    ? { status: 409, json: { error: 'job_running', message: 'That job is already running.', since: new Date().toISOString(), where: 'vm, process 7' } }
    : { status: 503, json: { error: 'database_unavailable', message: 'The database does not respond.' } }))
  await page.getByRole('button', { name: say('reports_of', { name }) }).click()
  await page.locator('#toasts', { hasText: 'The database does not respond.' }).waitFor()
  await page.getByRole('button', { name: say('run_job', { name }) }).click()
  await dialog(page).getByRole('button', { name: say('run'), exact: true }).click()
  const wrong = dialog(page).getByRole('alert')
  await wrong.filter({ hasText: say('running') }).filter({ hasText: 'vm, process 7' }).waitFor()
})

flow('a channel without a nearest one is pinned only by an id', {}, async visit => {
  const { page } = visit
  const sent = []
  const channel = { id: 'x', name: 'X', reason: 'unknown', nearest_id: '', nearest_name: '' }
  await page.route('**/api/admin/guide/unmatched', route => route.fulfill({ json: { total: 1, items: [{ name: 'local', location: '', problem: '', read_at: null, channels: 1, matched: 0, unmatched: 1, items: [channel] }] } }))
  await page.route('**/api/admin/guide/pins', route => {
    if (route.request().method() === 'POST') sent.push(route.request().postDataJSON().channel_id)
    return route.fulfill({ json: { total: 0, items: [], sources: [] } })
  })
  await work(visit, 'guides')
  await page.locator('#operator-panel details').evaluate(one => { one.open = true })
  await page.getByRole('button', { name: say('pin_channel', { id: 'x' }) }).click()
  await dialog(page).getByText(say('pin_id_note')).waitFor()
  await dialog(page).getByRole('button', { name: say('pin'), exact: true }).click()
  await dialog(page).getByLabel(say('is')).fill('NASATV.us')
  await agree(page, say('pin'))
  assert.deepEqual(sent, ['NASATV.us'])
})

flow('what others wrote is text, and fits, in every tab', { viewport: { width: 360, height: 740 } }, async visit => {
  const { page } = visit
  const long = hostile + 'W'.repeat(300), at = '2026-11-22T12:00:00Z'
  const answers = {
    '/api/admin/payments/open': { items: [{ id: 'pu_1', product: long, amount_usd: '0.10', network: long, payer: long, at, state: 'open' }] },
    '/api/admin/guide/unmatched': { total: 1, items: [{ name: long, location: long, problem: long, unchanged: true, read_at: at, channels: 2, matched: 1, unmatched: 1, items: [{ id: long, name: long, reason: long, nearest_id: 'A.br', nearest_name: long }] }] },
    '/api/admin/guide/pins': { total: 1, sources: [], items: [{ id: 'pin_1', source: long, guide_id: long, channel_id: null, at }] },
    '/api/vitrine/operador': { produto: 'miramundo', atualizado_em: at, operador: { rotas: [{ rota: long, chamadas: 1, falhas_cliente: 0, falhas_servidor: 1, bytes: 9, p50_ms: null, p95_ms: 2 }], erros_de_clientes: [{ nome: long, chamadas: 1 }], chamadores: [{ superficie: long, tipo: long, chamadas: 1 }], borda: null } },
    '/api/admin/events': { alert: { raised: true, waiting: 3, oldest_seconds: 9, dead: 1 }, waiting: 1, letters: [{ id: 'outbox:1', topic: long, at, body: long, problem: long }], queues: [{ topic: long, subscription: long, waiting: 2, failed: 1, oldest_at: at, dead: [{ id: long, at, body: long, failure: null, rejected: true }], more: true, problem: long }], acts: [{ act: 'drop_event', topic: long, event: long, reason: long, by: long, at, body: long }] },
    '/api/admin/jobs': { total: 1, items: [{ name: long, every_seconds: 90, running: { since: at, where: long }, last: { started_at: at, seconds: 1.25, ok: false, error: long }, due_at: at }] },
    '/api/admin/catalogo/bloqueios': { total: 1, items: [{ id: 'blk_1', kind: 'host', value: long, reason: long, at }] }
  }
  await page.route(url => url.pathname in answers, route => route.fulfill({ json: answers[new URL(route.request().url()).pathname] }))
  await page.route('**/api/admin/payments/open/pu_1/settle', route => route.fulfill({ json: { ...answers['/api/admin/payments/open'].items[0], state: 'delivered' } }))
  await visit.go('/en/operator')
  await page.getByLabel(say('metrics')).fill(metricsToken)
  await enter(page, operatorToken)
  await shown(page)
  for (const tab of ['overview', 'jobs', 'events', 'blocks', 'usage', 'guides', 'payments']) {
    await page.getByRole('tab', { name: say(`tab_${tab}`), exact: true }).click()
    await shown(page)
    await page.locator('#operator-panel', { hasText: 'W'.repeat(50) }).waitFor()
    await page.locator('#operator-panel details').evaluateAll(all => { for (const one of all) one.open = true })
    assert.deepEqual([...await layout(page), ...await barriers(page)], [], tab)
  }
  await page.getByRole('button', { name: say('settle_receipt', { id: 'pu_1' }) }).click()
  await agree(page, say('settle'))
  await page.locator('#toasts', { hasText: say('receipt_delivered') }).waitFor()
  assert.equal(await page.evaluate(() => window.broken), undefined)
})

/** A stack on a folder of sources, which the flow may break. */
async function onFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'miramundo-sources-'))
  await cp(join(root, 'shared/source/sample/data'), folder, { recursive: true })
  const stack = await start({ catalog: folder, jobs: false })
  t.after(async () => {
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { ...stack, folder }
}

flow('a reload that refuses a file shows why and what it changed, and a rollback holds it', { on: onFolder }, async (visit, stack) => {
  const { page } = visit
  const channels = join(stack.folder, 'database/data/channels.csv')
  const good = await readFile(channels, 'utf8')
  await work(visit, 'catalog')
  const reload = async () => {
    await page.locator('#operator-panel').getByRole('button', { name: say('reload') }).click()
    await dialog(page).getByText(say('reload_note')).waitFor()
    await agree(page, say('reload'))
  }
  await writeFile(channels, good.replace(/^([\w-]+\.[a-z]{2},)/gm, 'New$1')) // every channel has another id
  await reload()
  const refused = part(page, say('refusals'))
  await refused.getByText('iptv-org/feeds').first().waitFor()
  const newest = part(page, say('reloads')).locator('details').first()
  await newest.getByText(say('refusals_n', { n: 2 })).waitFor()
  await newest.getByRole('group', { name: say('changes') }).waitFor()
  await page.getByRole('tab', { name: say('tab_overview') }).click()
  await page.locator('.operator-concerns li', { hasText: say('refused.other', { n: 2 }) }).getByRole('button').click()
  await shown(page)

  const lines = good.trimEnd().split('\n')
  await writeFile(channels, good.replace(lines.find(line => line.startsWith('NASATV.us,')), line => line.replace('NASA TV', 'NASA Television')))
  await reload()
  await refused.waitFor({ state: 'detached' })
  const changed = part(page, say('reloads')).locator('details').first().getByRole('group', { name: say('changes') }).locator('tr', { hasText: say('channels') })
  await changed.locator('summary').filter({ hasText: '1' }).click()
  await changed.getByText('NASATV.us').waitFor()

  await part(page, say('releases')).getByRole('button', { name: new RegExp(`^${say('roll_back_to', { version: '' })}`) }).first().click()
  await dialog(page).getByText(say('roll_back_note')).waitFor()
  await agree(page, say('roll_back'))
  await page.getByText(say('held_note')).waitFor()
})
