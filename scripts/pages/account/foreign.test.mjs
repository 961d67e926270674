/** A page of another origin, in the browser of somebody who is signed in: it reads nothing of the account and changes nothing. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { accountFlow, address, paths, signIn, submit } from '../account.mjs'

/** Serves a blank page at another port of this machine: of the same site, so that browsers send cookies along. */
async function stranger(use) {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Stranger</title><h1>Stranger</h1>')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${server.address().port}/`)
  } finally {
    server.close()
  }
}

accountFlow('a page of another origin reads nothing and changes nothing', {}, async (visit, stack) => {
  const { page } = visit
  visit.forgive(/./) // the browser says what it refused
  await signIn(page, stack, address())
  await submit(page, 'profile', { name: 'Maria' })
  await page.locator('.notice').waitFor()
  await stranger(async url => {
    await page.goto(url)
    const read = await page.evaluate(async ([base, paths]) => {
      const tried = []
      for (const path of [...paths, '/api/me', '/api/auth/bootstrap', '/api/account/sessions', '/api/account/export', '/api/account/avatar']) {
        const text = await fetch(base + path, { credentials: 'include' }).then(answer => answer.text(), () => null)
        if (text !== null) tried.push(`${path}: ${text.slice(0, 80)}`)
      }
      return tried
    }, [stack.base, Object.values(paths)])
    assert.deepEqual(read, [], 'what another origin could read')

    await page.evaluate(async ([base, paths]) => {
      const form = { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ do: 'profile', name: 'Stranger', revision: '2', theme: 'dark' }) }
      const text = body => ({ ...form, body, headers: { 'Content-Type': 'text/plain' } })
      await Promise.allSettled([
        fetch(base + paths.account, form), fetch(base + paths.sessions, { ...form, body: new URLSearchParams({ do: 'everywhere' }) }),
        fetch(`${base}/api/auth/logout`, text('{}')), fetch(`${base}/api/account/sessions/end-all`, text('{}')),
        fetch(`${base}/api/account/sessions/end-all`, { method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json' }, body: '{}' }),
        fetch(`${base}/api/favorites`, { method: 'DELETE', credentials: 'include' })
      ])
    }, [stack.base, paths])

    for (const [path, action] of [[paths.account, 'signout'], [paths.sessions, 'everywhere'], [paths.account, 'profile']]) {
      await page.goto(url)
      const [response] = await Promise.all([
        page.waitForResponse(response => response.request().method() === 'POST'),
        page.evaluate(([target, action]) => {
          const form = document.createElement('form')
          Object.assign(form, { method: 'post', action: target })
          for (const [name, value] of Object.entries({ do: action, csrf: 'x', name: 'Stranger', revision: '2', theme: 'dark' })) {
            form.append(Object.assign(document.createElement('input'), { name, value }))
          }
          document.body.append(form)
          form.submit()
        }, [stack.base + path, action])
      ])
      assert.equal(response.status(), 403)
      await page.waitForURL(url => url.pathname === path)
    }
  })
  await page.goto(`${stack.base}${paths.account}`)
  assert.equal(new URL(page.url()).pathname, paths.account, 'the session is live')
  assert.equal(await page.locator('#name').inputValue(), 'Maria')
})
