/** What a page reports of itself: that it was visited, once. */
import assert from 'node:assert/strict'
import { flow, until } from '../flow.mjs'

flow('a page reports its visit once, without a credential', {}, async (visit) => {
  const { page } = visit
  const visits = []
  page.on('request', request => { if (new URL(request.url()).pathname === '/api/visit') visits.push(request) })
  await visit.go('/en/')
  await until(() => visits.length === 1, 'the visit is reported')
  const [first] = visits
  assert.equal(first.method(), 'POST')
  assert.equal(first.postData(), '{}')
  assert.equal((await first.allHeaders()).cookie, undefined)
  const answer = await first.response()
  assert.equal(answer.status(), 200)
  assert.equal((await answer.json()).ok, true)
  await visit.go('/en/about')
  await until(() => visits.length === 2, 'another page is another visit')
})

flow('a visit that cannot be reported does not disturb the page', {}, async (visit) => {
  visit.forgive(/Failed to load resource|ERR_FAILED/)
  let refused = 0
  await visit.page.route('**/api/visit', route => { refused++; return route.abort() })
  await visit.go('/en/')
  await until(() => refused === 1, 'the visit is refused')
  await visit.page.locator('main').waitFor()
})
