/** Handing a channel on, and what becomes of it at another site. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { flow, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

flow('share a channel, and watch it in another site', { permissions: ['clipboard-read', 'clipboard-write'] }, async (visit, stack) => {
  const { page } = visit
  await visit.context.addInitScript(() => { navigator.share = async what => { window.handedOn = what } })
  await visit.go(`/en/channel/${testChannel}`)
  await page.locator('[data-share]').click()
  const sheet = page.getByRole('dialog', { name: text('en', 'channel.ui.share_title') })
  const row = key => sheet.locator('.field').filter({ has: page.getByLabel(text('en', `channel.ui.share_${key}`), { exact: true }) })
  const address = `${stack.base}/en/channel/${testChannel}`
  assert.equal(await row('link').locator('input').inputValue(), address)
  assert.match(await row('player').locator('input').inputValue(), /\/api\/s\/.*\.m3u8$/)

  await sheet.getByRole('button', { name: text('en', 'channel.ui.share_device') }).click()
  assert.deepEqual(await page.evaluate(() => window.handedOn), { title: await page.locator('h1').textContent(), url: address })

  await row('embed').getByRole('button').click()
  await row('embed').getByText(text('en', 'channel.ui.share_copied')).waitFor()
  const code = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(code, await row('embed').locator('input').inputValue())
  await page.keyboard.press('Escape')
  await until(() => page.locator('dialog[open]').count().then(n => n === 0), 'the sheet is closed')

  // Another site shows it, and it plays without a word to the API.
  const other = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(`<!DOCTYPE html><link rel="icon" href="data:,"><title>Another site</title>${code}`)).listen(0, '127.0.0.1')
  try {
    await once(other, 'listening')
    await page.goto('about:blank')
    const asked = []
    page.on('request', request => {
      const { origin, pathname } = new URL(request.url())
      if (origin === new URL(stack.base).origin && pathname.startsWith('/api/')) asked.push(pathname)
    })
    await page.goto(`http://127.0.0.1:${other.address().port}/`)
    const frame = await until(() => page.frames()[1], 'the frame is there')
    await until(() => frame.evaluate(() => document.querySelector('.embed')?.getBoundingClientRect().bottom === innerHeight), 'the player fills its frame')
    await frame.locator('#stage .big-button').click()
    await plays(frame)
    assert.deepEqual(asked.filter(path => !path.startsWith('/api/s/')), [])
    const link = frame.locator('.embed-link')
    assert.equal(await link.getAttribute('href'), `/en/channel/${testChannel}`)
    assert.equal(await link.getAttribute('target'), '_blank')
    assert.deepEqual((await visit.context.cookies(stack.base)).map(({ name }) => name), [])
  } finally {
    other.close()
  }
})
