/** Where the player is tested alone: its page, with a server of its own, and what bundles it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { testChannel } from '../pages.mjs'
import { root, shared } from '../stack.mjs'

const app = join(root, 'functions', 'web', 'app', 'player')
const scripts = [join(root, 'scripts', 'pages', 'player', 'stand.ts'), join(app, 'failure.ts'), join(app, 'watch.ts')]

let folder
let record // what the page is to play at once, if anything

const server = createServer(async (request, response) => {
  const path = new URL(request.url, 'http://stand').pathname
  if (path === '/') return page(response)
  const body = path.startsWith('/assets/')
    ? Buffer.from(await (await fetch(new URL(path, shared().base))).arrayBuffer())
    : await readFile(join(folder, basename(path))).catch(() => null)
  response.writeHead(body ? 200 : 404, { 'Content-Type': 'text/javascript' }).end(body)
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'miramundo-player-'))
  await promisify(execFile)('go', [
    'run', 'github.com/evanw/esbuild/cmd/esbuild', ...scripts, '--bundle', '--splitting', '--format=esm', '--target=es2022',
    '--minify', '--entry-names=[name]', `--outdir=${folder}`, '--log-level=error'
  ], { cwd: root, env: { ...process.env, NODE_PATH: join(root, 'node_modules') } })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

/** The page, with the policy and the worker that the stack gives to pages. */
async function page(response) {
  const real = await fetch(new URL(`/en/channel/${testChannel}`, shared().base))
  const [, worker] = /data-worker="([^"]+)"/.exec(await real.text())
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': real.headers.get('Content-Security-Policy') })
  response.end(`<!DOCTYPE html><html lang="en"><title>Player</title><link rel="icon" href="data:,"><script type="module" src="stand.js"></script>
    <script id="data" type="application/json">${record ? JSON.stringify(record).replaceAll('<', '\\u003c') : ''}</script>
    <body data-locale="en" data-worker="${worker}"><section id="stage"></section>`)
}

/** Imports a script of the player that needs no page, such as "failure". */
export const module = name => import(pathToFileURL(join(folder, `${name}.js`)))

/** Opens the page of the player, on which the record of a channel plays at once, if one is given. Returns its address. */
export async function stand({ page }, toPlay) {
  record = toPlay
  const base = `http://127.0.0.1:${server.address().port}`
  await page.goto(base)
  await page.waitForFunction(() => 'player' in window)
  return base
}

/** Loads streams into the player as those of a channel, and plays them. Returns what it told, in its order. */
export function play(page, streams) {
  return page.evaluate(streams => {
    window.events.length = 0
    window.player.load({ id: 'Stand', name: 'Stand', kind: 'tv', streams })
    void window.player.play()
  }, streams)
}

/** Waits until the player told of something, and returns all that it told. */
export async function told(page, name, limit = 60_000) {
  await held(page, name => window.events.some(event => event.name === name), name, limit)
  return page.evaluate(() => window.events)
}

/** Waits for a state of the player. */
export const state = (page, name, limit = 60_000) => held(page, name => window.player.state === name, name, limit)

/** Waits until a check of the page holds; where it never does, what the player told says why. */
async function held(page, check, name, limit) {
  try {
    await page.waitForFunction(check, name, { timeout: limit, polling: 'raf' })
  } catch (error) {
    const events = await page.evaluate(() => window.events).catch(() => [])
    throw new Error(`never ${name}, but ${events.map(({ name, detail, at }) => `${name} ${JSON.stringify(detail)} at ${at}`).join('; ')}`, { cause: error })
  }
}

/** Makes the record of a stream. */
export function stream(id, kind, url, more = {}) {
  return {
    id, kind, url, play_url: url, provider_url: url, legacy_url: null, feed: null, title: null, quality: null, needs_headers: false, label: null,
    scheme: new URL(url).protocol.slice(0, -1), playable_hint: true, health_ext: null, ...more
  }
}
