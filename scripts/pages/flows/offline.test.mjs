/** Without a network: the service worker says so in the language of the page, and keeps nothing that grows old. */
import assert from 'node:assert/strict'
import { flow, until } from '../flow.mjs'
import { text } from '../texts.mjs'

flow('lose the network, and find back', { serviceWorkers: 'allow' }, async visit => {
  const { page, context } = visit
  visit.forgive(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/)
  await visit.go('/de')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await until(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker is in charge')

  // It keeps the files of every page and a page for each language, and nothing else; what earlier versions kept is gone.
  const kept = await page.evaluate(async () => (await Promise.all((await caches.keys()).map(async name => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat())
  assert.deepEqual(kept.filter(path => !path.startsWith('/assets/')).sort(), ['/de/offline', '/en/offline', '/es/offline', '/fr/offline', '/offline'])
  assert.ok(kept.some(path => /\/main-.*\.js$/.test(path)) && kept.some(path => /\/main-.*\.css$/.test(path)), kept.join(' '))

  // A page that cannot be fetched says so, as ours.
  await context.setOffline(true)
  await page.goto(`${visit.base}/de/laender`)
  await page.getByRole('heading', { name: text('de', 'error.offline_title') }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/de/laender')
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('.top')).position), 'static', 'it has its styles')
  const other = await context.newPage() // a page that comes back by itself may do so while it is led elsewhere
  await other.goto(`${visit.base}/favoritos`)
  await other.getByRole('heading', { name: text('pt', 'error.offline_title') }).waitFor()
  assert.ok(await other.evaluate(() => fetch('/api/channels').then(() => false, () => true)), 'no answer of the API is kept')

  // The network is back, and so is the page.
  await context.setOffline(false)
  await page.waitForFunction(() => document.body.dataset.page === 'countries')
  await other.waitForFunction(() => document.body.dataset.page === 'favorites')
  await other.close() // a worker stays while a page has it

  // What an earlier version kept goes when another takes its place.
  await page.evaluate(async () => {
    await caches.open('mm-shell-old')
    await (await navigator.serviceWorker.ready).unregister()
  })
  await page.goto('about:blank') // the worker goes with its last page; a page that registers it before would keep it
  await visit.go('/en')
  await until(() => page.evaluate(async () => navigator.serviceWorker.controller !== null && !(await caches.keys()).includes('mm-shell-old')), 'what an earlier version kept is gone')
})
