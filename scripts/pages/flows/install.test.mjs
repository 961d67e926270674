/** Installing the pages as an app, and the feed of the catalog. */
import assert from 'node:assert/strict'
import { flow } from '../flow.mjs'
import { text } from '../texts.mjs'

flow('install the pages where the browser offers it', {}, async visit => {
  const { page } = visit
  await visit.go('/en')
  const button = page.getByRole('button', { name: text('en', 'layout.install') })
  await page.locator('#prefs > summary').click()
  assert.equal(await button.isVisible(), false, 'there is nothing to press before the browser offers anything')
  const kept = await page.evaluate(() => {
    const offer = new Event('beforeinstallprompt', { cancelable: true })
    offer.prompt = async () => { window.prompted = (window.prompted ?? 0) + 1 }
    return !dispatchEvent(offer)
  })
  assert.ok(kept, 'the browser shows no bar of its own')
  await button.click()
  await page.waitForFunction(() => window.prompted === 1)
  assert.equal(await button.isVisible(), false)
  assert.equal(await page.evaluate(() => document.activeElement.matches('#prefs > summary')), true)
})

flow('the feed of changes is where the page says', {}, async (visit, stack) => {
  await visit.go('/fr')
  const link = visit.page.locator('link[type="application/atom+xml"]')
  const answer = await fetch(new URL(await link.getAttribute('href'), stack.base))
  assert.match(answer.headers.get('content-type'), /^application\/atom\+xml/)
  assert.match(await answer.text(), /<feed [^>]*lang="fr"/)
})
