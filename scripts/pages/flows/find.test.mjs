/** From finding a channel to a list that another player reads. */
import assert from 'node:assert/strict'
import parser from 'iptv-playlist-parser'
import { cardLink, flow, plays, until } from '../flow.mjs'
import { testChannel } from '../pages.mjs'
import { text } from '../texts.mjs'

const second = 'NASATV.us'
const say = key => text('en', key)

flow('find, play, like, keep, order, and read the feed', { permissions: ['clipboard-read', 'clipboard-write'] }, async ({ context, page, ...visit }, stack) => {
  const go = path => page.goto(new URL(path, stack.base).href)

  // Find: results come while one types, and have an address.
  await go('/en')
  await page.locator('#q').click()
  await page.locator('#q').pressSequentially('test card')
  await cardLink(page, testChannel).waitFor()
  await page.waitForFunction(() => new URLSearchParams(location.search).get('q') === 'test card')

  // Play: the channel starts by itself, since it was pressed in a list; that it
  // played is told once.
  const told = page.waitForRequest(request => request.url().endsWith('/api/play-report') && request.method() === 'POST')
  await cardLink(page, testChannel).click()
  await page.waitForURL(`**/en/channel/${testChannel}`)
  await plays(page)
  assert.deepEqual(pick((await told).postDataJSON()), { channel_id: testChannel, ok: true })

  // Like: it is among the favorites.
  const heart = page.locator(`#details [data-favorite="${testChannel}"]`)
  const liked = page.waitForResponse(response => response.url().endsWith('/api/favorites') && response.request().method() === 'POST')
  await heart.click()
  assert.equal(await heart.getAttribute('aria-pressed'), 'true')
  assert.equal((await liked).status(), 200)
  await page.getByRole('navigation', { name: say('layout.nav') }).getByRole('link', { name: say('layout.favorites') }).click()
  await page.locator(`main [data-channel="${testChannel}"]`).waitFor()

  // Keep: the channel in a new folder, then another one beside it.
  await go(`/en/channel/${testChannel}`)
  await page.locator(`#details [data-keep="${testChannel}"]`).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('Noite & dia')
  await dialog.getByRole('button', { name: say('keep.ui.create') }).click()
  await page.locator('#toasts').getByText('Noite & dia').waitFor()
  await go(`/en/channel/${second}`)
  await page.locator(`#details [data-keep="${second}"]`).click()
  await dialog.locator('[data-group]').first().click()
  await page.locator('#toasts').getByText('Noite & dia').waitFor()

  // Order: by keys, then by drag; each is what the service keeps.
  await page.getByRole('navigation', { name: say('layout.nav') }).getByRole('link', { name: say('layout.library') }).click()
  const rows = page.locator('#items a[data-channel]')
  const order = () => rows.evaluateAll(all => all.map(row => row.dataset.channel))
  const kept = async () => {
    const token = await page.evaluate(() => localStorage.getItem('mm-guest'))
    const library = await (await fetch(new URL('/api/library', stack.base), { headers: { 'X-Guest-Token': token } })).json()
    return { items: library.categories[0].groups[0].items.map(item => item.channel_id), library }
  }
  const ordered = async (...want) => {
    await until(async () => String(await order()) === String(want), `the rows are ${want}`)
    await until(async () => String((await kept()).items) === String(want), `the library has ${want}`)
  }
  await ordered(testChannel, second)
  await rows.nth(1).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await ordered(second, testChannel)
  const handles = page.locator('#items .grip')
  const [from, to] = [await handles.nth(1).boundingBox(), await handles.nth(0).boundingBox()]
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 12 })
  await page.mouse.move(to.x + to.width / 2, to.y - 4, { steps: 4 })
  await page.mouse.up()
  await ordered(testChannel, second)

  // Read: the address that is copied is a list that a player's parser reads, in
  // that order.
  await page.locator('#feed').getByRole('button', { name: say('library.copy'), exact: true }).click()
  const address = await until(() => page.evaluate(() => navigator.clipboard.readText()), 'an address was copied')
  const answer = await fetch(address)
  assert.equal(answer.status, 200, address)
  const list = parser.parse(await answer.text())
  assert.deepEqual(list.items.map(item => item.tvg.id.split('@')[0]), [testChannel, second])
  assert.equal((await fetch(list.items[0].url)).status, 200, list.items[0].url)

  // Log in: a player of Xtream Codes gets the same channels, from the whole library and
  // from the tab.
  const feed = page.locator('#feed')
  await feed.getByText(say('library.login'), { exact: true }).click()
  for (const [level, shape] of [['library', /^[a-z2-7]{8}$/], ['group', /^[a-z2-7]{8}-[a-z2-7]{8}$/]]) {
    await feed.getByText(say(`library.level_${level}`), { exact: true }).click()
    const [server, username, password] = await Promise.all(['server', 'user', 'password'].map(part => page.locator(`#login-${part}`).inputValue()))
    assert.match(username, shape)
    const channels = await fetch(`${server}/player_api.php?${new URLSearchParams({ username, password, action: 'get_live_streams' })}`).then(got => got.json())
    assert.deepEqual(channels.map(channel => channel.epg_channel_id.split('@')[0]), [testChannel, second], level)
    const stream = await fetch(`${server}/live/${username}/${password}/${channels[0].stream_id}.m3u8`)
    assert.deepEqual([stream.status, stream.url], [200, list.items[0].url], 'the stream is at the hop')
    await feed.getByRole('button', { name: say('library.copy_login_password') }).click()
    await until(async () => await page.evaluate(() => navigator.clipboard.readText()) === password, 'the password was copied')
  }
})

const pick = ({ channel_id, ok }) => ({ channel_id, ok })
