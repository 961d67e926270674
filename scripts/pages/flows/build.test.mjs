/** The page of examples: one choice of a language shows the examples in it, and a button copies one. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'
import { text } from '../texts.mjs'

/** Returns the names of the examples that are seen. */
const seen = async page => {
  const all = await page.locator('[data-snippet]:visible').evaluateAll(snippets => snippets.map(snippet => snippet.dataset.snippet))
  return all.filter(file => file !== 'mcp.json')
}

flow('a developer copies an example in Python', { permissions: ['clipboard-read', 'clipboard-write'] }, async (visit, stack) => {
  const { page } = visit
  await visit.go('/en')
  await page.locator('.bottom').getByRole('link', { name: text('en', 'layout.build') }).click()
  await page.waitForURL(url => url.pathname === '/en/build')
  assert.deepEqual(await seen(page), ['search.sh', 'library.sh', 'play.sh'])
  await page.getByLabel('Python').check()
  assert.deepEqual(await seen(page), ['search.py', 'library.py', 'play.py'])
  await page.locator('.snippet-py').first().getByRole('button', { name: text('en', 'build.ui.copy') }).click()
  await page.getByText(text('en', 'build.ui.copied')).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.ok(copied.includes(`base = "${stack.base}"`), copied)
})

flow('the examples are chosen without a script', { javaScriptEnabled: false }, async (visit, stack) => {
  visit.forgive(/^request: csp .*\.js$/) // scripts that are not to run are not loaded either
  const { page } = visit
  await page.goto(`${stack.base}/en/build`)
  await page.getByLabel('Go', { exact: true }).check()
  assert.deepEqual(await seen(page), ['search.go', 'library.go', 'play.go'])
})
