/** The pages that the matrix looks at, and what must be before each is looked at. */
import { cookies } from './account.mjs'
import { Guest } from './api.mjs'
import { metricsToken, operatorToken } from './stack.mjs'
import { text } from './texts.mjs'

/** Answers as the hop does for a stream that is no more. */
export function gone(route) {
  const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Service-Upstream-Status, X-Service-Media-HTTP' }
  return route.fulfill({ status: 404, headers, json: { error: 'stream_not_found', message: 'gone' } })
}

/** The channel and the station that play without a network. */
export const testChannel = 'MiramundoTest.br'

/** Channels of the sample that stand in the library that is filled. */
const kept = ['DWEnglish.de', testChannel, 'NASATV.us', 'France24.fr']

const operatorPaths = { pt: '/operator', en: '/en/operator', es: '/es/operator', fr: '/fr/operator', de: '/de/operator' }

/**
 * A page: `page` is what its body calls it; `path` finds its address in pt, from
 * which its own links lead to the other languages, or `paths` has its address in
 * each; `prepare` is done before it is opened, `then` after. Pages with `paths` are
 * looked at on a phone and a laptop alone (and at 280 px, as all), those with `locales` in these alone, and
 * those that are `slow` to draw on a phone alone in most languages. Those that are `plain`, texts and forms or a state of
 * another page, are loaded for a phone and a laptop alone, and given the other windows.
 */
export const pages = [
  { name: 'home', page: 'home', path: () => '/' },
  { name: 'radio', page: 'home', path: () => '/?kind=radio' },
  { name: 'search', page: 'home', path: () => '/?q=news' },
  { name: 'nothing-found', page: 'home', path: () => '/?q=qwertyuiop', plain: true },
  { name: 'country', page: 'country', path: () => '/brasil' },
  { name: 'countries', page: 'countries', path: () => '/paises' },
  { name: 'explore', page: 'explore', path: () => '/explorar', then: seeGlobe },
  { name: 'explore-country', page: 'explore', path: () => '/explorar?at=BR', then: seeGlobe, plain: true },
  { name: 'city', page: 'city', path: () => '/radio/lisbon-2267057' },
  { name: 'near', page: 'home', path: () => '/?near=38.72,-9.14&radius=500' },
  { name: 'schedule', page: 'schedule', path: () => '/programacao' },
  { name: 'timeline', page: 'schedule', path: () => '/programacao?view=timeline', then: seeGrid },
  { name: 'programmes', page: 'schedule', path: () => '/programacao?q=a', plain: true },
  { name: 'schedule-empty', page: 'schedule', path: () => '/programacao?country=AQ', plain: true },
  { name: 'channel', page: 'channel', path: () => `/canal/${testChannel}` },
  { name: 'station', page: 'channel', path: stack => `/canal/${stack.station}` },
  { name: 'failing', page: 'channel', path: () => `/canal/${testChannel}`, prepare: fail, then: seeFailure },
  { name: 'library-empty', page: 'library', path: () => '/biblioteca', plain: true },
  { name: 'library', page: 'library', path: () => '/biblioteca', prepare: owner },
  { name: 'public', page: 'public', paths: { pt: '/l/noticias-da-ana', en: '/en/l/noticias-da-ana', es: '/es/l/noticias-da-ana', fr: '/fr/l/noticias-da-ana', de: '/de/l/noticias-da-ana' }, prepare: publisher },
  { name: 'library-public', page: 'library', path: () => '/biblioteca', prepare: publisher, then: seeOwnPublic, plain: true },
  { name: 'favorites-empty', page: 'favorites', path: () => '/favoritos', plain: true },
  { name: 'favorites', page: 'favorites', path: () => '/favoritos', prepare: owner },
  { name: 'history-empty', page: 'history', path: () => '/historico', plain: true },
  { name: 'history', page: 'history', path: () => '/historico', prepare: owner },
  { name: 'signin', page: 'signin', paths: { pt: '/entrar', en: '/en/sign-in', es: '/es/entrar', fr: '/fr/connexion', de: '/de/anmelden' } },
  { name: 'account', page: 'account', paths: { pt: '/conta', en: '/en/account', es: '/es/cuenta', fr: '/fr/compte', de: '/de/konto' }, prepare: member },
  { name: 'security', page: 'security', paths: { pt: '/conta/seguranca', en: '/en/account/security', es: '/es/cuenta/seguridad', fr: '/fr/compte/securite', de: '/de/konto/sicherheit' }, prepare: member },
  { name: 'sessions', page: 'sessions', paths: { pt: '/conta/sessoes', en: '/en/account/sessions', es: '/es/cuenta/sesiones', fr: '/fr/compte/sessions', de: '/de/konto/sitzungen' }, prepare: member },
  { name: 'keys', page: 'keys', paths: { pt: '/conta/chaves', en: '/en/account/keys', es: '/es/cuenta/claves', fr: '/fr/compte/cles', de: '/de/konto/schluessel' }, prepare: member },
  { name: 'privacy', page: 'privacy', paths: { pt: '/conta/privacidade', en: '/en/account/privacy', es: '/es/cuenta/privacidad', fr: '/fr/compte/confidentialite', de: '/de/konto/datenschutz' }, prepare: member },
  { name: 'moderation', page: 'moderation', paths: { pt: '/moderation', en: '/en/moderation', es: '/es/moderation', fr: '/fr/moderation', de: '/de/moderation' } },
  { name: 'operator', page: 'operator', paths: operatorPaths },
  ...['overview', 'catalog', 'jobs', 'events', 'blocks', 'takedowns', 'usage', 'guides'].map(tab => ({
    name: `operator-${tab}`, page: 'operator', paths: Object.fromEntries(Object.entries(operatorPaths).map(([locale, path]) => [locale, `${path}#${tab}`])), prepare: operate, then: shown,
    ...(tab !== 'overview' && { locales: ['en', 'de'] }) // German has the longest words; the parts are built alike
  })),
  { name: 'guide', page: 'guide', path: () => '/como-usar', plain: true },
  { name: 'kodi', page: 'kodi', path: () => '/como-usar/kodi', plain: true },
  { name: 'homeassistant', page: 'homeassistant', path: () => '/como-usar/home-assistant', plain: true },
  { name: 'about', page: 'about', path: () => '/sobre', plain: true },
  { name: 'suggestions', page: 'about', path: () => '/sobre', then: seeSuggestions, plain: true },
  { name: 'offered', page: 'guide', path: () => '/como-usar', prepare: foreign, plain: true },
  { name: 'contact', page: 'contact', path: () => '/contato?tipo=anuncio', plain: true },
  { name: 'takedown', page: 'takedown', path: () => '/retirada', plain: true },
  { name: 'counter-notice', page: 'takedown', path: () => '/retirada?answers=1', plain: true },
  { name: 'transparency', page: 'transparency', path: () => '/transparencia', plain: true },
  { name: 'partners', page: 'partners', path: () => '/parceiros', plain: true },
  { name: 'producers', page: 'producers', path: () => '/produtores', plain: true },
  { name: 'purchases', page: 'purchases', path: () => '/compras', plain: true },
  { name: 'reference', page: 'reference', path: () => '/api-referencia', then: seeViewer, slow: true, plain: true },
  { name: 'build', page: 'build', path: () => '/desenvolver', plain: true },
  { name: 'numbers', page: 'numbers', path: () => '/numeros', plain: true },
  { name: 'embed', page: 'embed', paths: Object.fromEntries(['pt', 'en', 'es', 'fr', 'de'].map(l => [l, `${l === 'pt' ? '' : `/${l}`}/embed/${testChannel}`])) },
  { name: 'offline', page: 'error', paths: Object.fromEntries(['pt', 'en', 'es', 'fr', 'de'].map(l => [l, `${l === 'pt' ? '' : `/${l}`}/offline`])) },
  { name: 'missing', page: 'error', path: () => '/isto-nao-existe', prepare: visit => visit.forgive(/status: 404 .*\/isto-nao-existe$/, /status of 404 .*\/isto-nao-existe\)$/), plain: true }
]

/** Returns the id of the station that plays without a network. */
export async function station(base) {
  const answer = await fetch(new URL('/api/channels?kind=radio&q=Miramundo', base))
  return (await answer.json()).items[0].id
}

/** Returns the path of a page in a locale: that which its page in pt leads to. */
export async function pathIn(stack, { path, paths }, locale) {
  if (paths) return paths[locale] // without a session they lead elsewhere
  const first = new URL(path(stack), stack.base)
  if (locale === 'pt') return first.pathname + first.search
  if (first.pathname.startsWith('/isto')) return `/${locale}${first.pathname}`
  const html = await (await fetch(first)).text()
  const lang = new RegExp(`<a [^>]*href="([^"]+)" hreflang="${locale}"`)
  const found = lang.exec(html)
  if (!found) throw new Error(`${first.pathname} does not lead to its page in ${locale}`)
  const to = new URL(found[1].replaceAll('&amp;', '&'), first)
  return to.pathname + (to.search || first.search)
}

/** Signs the operator in. */
function operate(visit) {
  visit.forgive(/api\/vitrine\/operador/) // before the first publication there are no numbers
  return visit.context.addInitScript(([token, metrics]) => {
    if (location.origin === 'null') return // a blank page keeps nothing
    sessionStorage.setItem('mm-operator', token)
    sessionStorage.setItem('mm-operator-name', 'Olga')
    sessionStorage.setItem('mm-operator-metrics', metrics)
  }, [operatorToken, metricsToken])
}

/** Waits until a tab of the operator's page shows what it read. */
function shown(visit) {
  return visit.page.locator('#operator-panel:not([aria-busy])').waitFor()
}

/** Makes the one who looks somebody who is signed in: one account for all pages. */
async function member(visit, stack) {
  await visit.context.addCookies(await (stack.member ??= cookies(stack)))
}

/** Waits until the grid has programmes, or the page says that it has none. */
function seeGrid(visit) {
  return visit.page.locator('#timeline .tl-cell, #timeline .empty').first().waitFor()
}

/** Makes the one who looks somebody who has kept, liked and watched channels. */
async function owner(visit, stack) {
  const guest = await (stack.owner ??= furnished(stack.base))
  await guest.become(visit.context)
}

async function furnished(base) {
  const guest = await Guest.make(base)
  const { library } = folderOf(await guest.call('POST', '/api/categories', { name: 'Notícias do mundo' }))
  const group = library.categories[0].groups[0].id
  for (const channel_id of kept) {
    await guest.call('POST', '/api/items', { group_id: group, channel_id })
    await guest.call('POST', '/api/favorites', { channel_id })
    await guest.call('POST', '/api/history', { channel_id })
  }
  await guest.call('POST', '/api/groups', { category_id: library.categories[0].id, name: 'Manhã' })
  await guest.call('POST', '/api/categories', { name: 'Rádios' })
  return guest
}

/** Publishes the folders of the owner, and has the owner follow what another publishes. */
async function publisher(visit, stack) {
  await owner(visit, stack)
  await (stack.published ??= publish(stack))
}

async function publish(stack) {
  const guest = await stack.owner
  const { categories } = await guest.call('GET', '/api/library')
  await guest.call('PUT', '/api/library/public', {
    name: 'noticias-da-ana', title: 'Notícias e rádios para acordar', about: 'O que eu ouço de manhã.\nSem anúncios meus.', author: 'Ana', folders: categories.map(({ id }) => id),
  })
  const other = await furnished(stack.base)
  const { categories: [folder] } = await other.call('GET', '/api/library')
  await other.call('PUT', '/api/library/public', { name: 'outra-biblioteca', title: 'Outra biblioteca', folders: [folder.id] })
  await guest.call('POST', '/api/following', { library: 'outra-biblioteca' })
}

/** Waits until the page of the library shows what is public and what is followed. */
async function seeOwnPublic({ page }) {
  await page.locator('#public-edit').waitFor()
  await page.locator('#followed summary').first().waitFor()
}

const folderOf = answer => ({ library: answer.library ?? answer })

/** Lets every stream fail: the hop says that they are gone. */
async function fail(visit, stack) {
  visit.forgive(/api\/s\//)
  await visit.context.route(`${stack.hop}/api/s/**`, gone)
}

/** Types into the search field, and waits for what it suggests. */
async function seeSuggestions({ page }) {
  await page.locator('#q').fill('bra')
  await page.locator('#suggestions [role=option]').first().waitFor()
}

/** Makes the one who looks a reader of another language, who was never offered it. */
function foreign(visit) {
  return visit.context.addInitScript(() => {
    if (location.origin !== 'null') localStorage.removeItem('mm-offered')
    Object.defineProperty(navigator, 'languages', { get: () => [document.documentElement.lang === 'de' ? 'fr' : 'de'] })
  })
}

/** Waits until the globe is drawn. */
async function seeGlobe(visit) {
  await visit.page.locator('.globe-ball').waitFor()
}

/** Waits until the viewer has taken the place of the list of operations. */
async function seeViewer(visit) {
  await visit.page.locator('#viewer .opblock-tag').first().waitFor()
}

/** Presses play, and waits until the page says that the channel is gone. */
async function seeFailure(visit, locale) {
  const stage = visit.page.locator('#stage')
  await stage.click()
  await stage.getByText(text(locale, 'failure.ui.label_sumiu')).first().waitFor()
  await stage.getByRole('button', { name: text(locale, 'player.ui.stay') }).click() // else the next channel comes
}
