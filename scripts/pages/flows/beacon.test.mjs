/** What a page reports of its own errors. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'

flow('a page reports its errors, each once and a few in all', {}, async visit => {
  visit.forgive(/^beacon: /)
  const reports = []
  visit.context.on('request', request => {
    if (new URL(request.url()).pathname === '/api/erro-cliente') reports.push(request.postDataJSON())
  })
  await visit.go('/')
  await visit.page.evaluate(() => {
    const fail = (message, filename) => window.dispatchEvent(new ErrorEvent('error', { message, filename, lineno: 3, colno: 4 }))
    fail('of an extension', 'chrome-extension://abc/x.js')
    fail('of another site', 'https://elsewhere.example/x.js')
    for (let n = 0; n < 3; n++) fail('the same', `${location.origin}/assets/x.js`)
    window.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason: 'a reason' }))
    window.dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason: new DOMException('', 'AbortError') }))
    for (let n = 0; n < 9; n++) fail(`number ${n}`, `${location.origin}/assets/x.js`)
  })
  await visit.page.waitForLoadState('networkidle')
  assert.deepEqual(reports.map(({ code, message }) => `${code} ${message}`),
    ['UI-JS-001 the same', 'UI-PROMESSA-001 a reason', 'UI-JS-001 number 0', 'UI-JS-001 number 1', 'UI-JS-001 number 2'])
  const [first] = reports
  assert.deepEqual({ phase: first.phase, path: first.path, line: first.line, column: first.column, visivel: first.visivel },
    { phase: 'use', path: '/', line: 3, column: 4, visivel: true })
})
