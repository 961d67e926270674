/** The API reference: an operation is found and tried out; without a script every operation can be read. */
import assert from 'node:assert/strict'
import { barriers } from '../browser.mjs'
import { flow } from '../flow.mjs'

const described = async stack => (await fetch(new URL('/openapi.json', stack.base))).json()

/** Returns the operations of the document, as "GET /path". */
const operationsOf = document => Object.entries(document.paths)
  .flatMap(([path, methods]) => Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`)).sort()

flow('a developer tries an operation out', {}, async (visit, stack) => {
  const { page } = visit
  const foreign = []
  page.on('request', request => { if (!request.url().startsWith(stack.base) && !request.url().startsWith('data:')) foreign.push(request.url()) })
  await visit.go('/en')
  await page.locator('.bottom').getByRole('link', { name: 'API', exact: true }).click()
  await page.waitForURL(url => url.pathname === '/en/api-reference')

  const { operationId, tags: [tag] } = (await described(stack)).paths['/api/channels'].get
  await page.locator(`#operations-tag-${tag} button`).click()
  const operation = page.locator(`#operations-${tag}-${operationId}`)
  await operation.getByRole('button', { expanded: false }).first().click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByLabel('q', { exact: true }).fill('Miramundo')
  const answered = page.waitForResponse(response => new URL(response.url()).pathname === '/api/channels')
  await operation.getByRole('button', { name: 'Execute' }).click()
  assert.equal(new URL((await answered).url()).searchParams.get('q'), 'Miramundo')
  await operation.locator('.live-responses-table').getByText('Miramundo Test Card').first().waitFor()
  assert.deepEqual(await barriers(page), [])
  assert.deepEqual(foreign, [])
})

flow('every operation is there to read without a script', { javaScriptEnabled: false }, async (visit, stack) => {
  visit.forgive(/^request: csp .*\.js$/) // scripts that are not to run are not loaded either
  const { page } = visit
  await page.goto(`${stack.base}/en/api-reference`)
  const listed = await page.locator('.operation-call').allInnerTexts()
  assert.deepEqual(listed.map(call => call.split(/\s+/).join(' ')).sort(), operationsOf(await described(stack)))
})

flow('the list stays when the viewer cannot be loaded', {}, async (visit, stack) => {
  visit.forgive(/swagger-ui/)
  const { page } = visit
  await visit.context.route(/swagger-ui/, route => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${stack.base}/en/api-reference`)
  await visit.settled()
  assert.ok(await page.locator('.operation').first().isVisible())
  assert.ok(await page.locator('#viewer').isHidden())
})
