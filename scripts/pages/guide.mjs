/** A guide of made-up channels, in place of the one of the stack. */

/** The path of the grid. */
export const grid = '/en/schedule?view=timeline'

/** Half an hour, in milliseconds. */
export const half = 30 * 60_000

/** A guide of made-up channels, each with programmes of half an hour, as the API would tell it. */
export function made(n, origin = Math.floor(Date.now() / half) * half) {
  const channels = Array.from({ length: n }, (_, i) => ({ id: `Made${String(i).padStart(3, '0')}.br`, name: `Made ${i}` }))
  return url => {
    const from = Date.parse(url.searchParams.get('from') ?? new Date(origin).toISOString())
    const to = from + Number(url.searchParams.get('hours') ?? 6) * 2 * half
    const ids = url.searchParams.get('ids')?.split(',')
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const some = ids ? channels.filter(({ id }) => ids.includes(id)) : channels.slice(offset, offset + Number(url.searchParams.get('limit') ?? 20))
    const items = some.map(({ id, name }) => ({
      channel_id: id, name, kind: 'tv', country: 'BR', logo_url: null, playable_hint: true,
      programas: Array.from({ length: (to - from) / half }, (_, i) => programme(name, from + i * half))
    }))
    return { from: iso(from), to: iso(to), items, total: ids ? items.length : n, limit: 50, offset, next_offset: null, next: null, api: '' }
  }
}

const iso = time => new Date(time).toISOString().replace('.000', '')
const programme = (name, start) => ({ inicio: iso(start), fim: iso(start + half), titulo: `${name} at ${iso(start).slice(11, 16)}` })

/** Opens the grid with a made-up guide in place of the one of the stack. */
export async function open(visit, n, path = grid) {
  const tell = made(n)
  await visit.context.route('**/api/guide/grid?*', route => route.fulfill({ json: tell(new URL(route.request().url())) }))
  await visit.context.route(/\/api\/channels\/Made[^/]*\/guia\?/, route => route.fulfill({ json: { programas: [] } }))
  await visit.context.route(url => url.pathname === '/en/schedule', async route => {
    const answer = await route.fetch()
    const start = { now: iso(Date.now()), from: '', to: '', total: n, items: [] }
    const html = (await answer.text()).replace(/(<script id="data"[^>]*>)[^<]*/, (_, tag) => tag + JSON.stringify(start))
    await route.fulfill({ response: answer, body: html })
  })
  await visit.page.goto(visit.base + path)
  await visit.page.locator('.tl-cell').first().waitFor()
}
