/**
 * The examples of the page "Build on it", run as it shows them: they are read from the
 * page of a local stack, whose address is therefore in them, written to files and run
 * by the programs of their languages. A program that this machine lacks is skipped by
 * name; on CI all must be there.
 *
 *   node --test scripts/snippets/snippets.test.mjs
 *   MIRAMUNDO_BASE=http://127.0.0.1:8787 node --test …    on a stack that runs
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { build, start } from '../pages/stack.mjs'

const limit = 120_000

/** The programs that run files with an extension, with their first arguments. */
const programs = { sh: [['bash', '-euo', 'pipefail'], ['curl'], ['jq']], mjs: [[process.execPath]], py: [['python3']], go: [['go', 'run']] }

/** What each example must print. */
const results = {
  search: /^\S+\s.*News.*\n/m,
  library: /^http:\S+\/library\.m3u\n#EXTM3U[^]*\n#EXTINF:[^]*\nhttp:\S+/,
  play: /^http:\S+\/api\/s\/\S+\n#EXTM3U/
}

const paths = ['/desenvolver', '/en/build', '/es/desarrollar', '/fr/construire', '/de/entwickeln']

let base, stop, folder, shown

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'miramundo-snippets-'))
  base = process.env.MIRAMUNDO_BASE
  if (!base) {
    await build()
    const stack = await start()
    base = stack.base
    stop = stack.stop
    await measured()
  }
  shown = await read(paths[0])
})

/** Waits until the catalog shows what the probes of the stack found: the examples play the best channel. */
async function measured() {
  for (const end = Date.now() + limit; ; await new Promise(resolve => setTimeout(resolve, 100))) {
    const { items: [best] } = await (await fetch(`${base}/api/channels?sort=score&limit=1`)).json()
    if (best.health_ext?.score > 0) return
    if (Date.now() > end) throw new Error('no channel was ever measured as playing')
  }
}

after(async () => {
  await stop?.()
  await rm(folder, { recursive: true, force: true })
})

/** Returns the examples of a page, by the names of their files. */
async function read(path) {
  const html = await (await fetch(base + path)).text()
  const found = html.matchAll(/<pre [^>]*data-snippet="([^"]+)"><code>([^<]*)<\/code>/g)
  return Object.fromEntries([...found].map(([, file, code]) => [file, decoded(code)]))
}

/** Replaces the references to characters that the server writes. */
function decoded(text) {
  const names = { lt: '<', gt: '>', amp: '&', quot: '"' }
  return text.replace(/&(?:#(\d+)|(\w+));/g, (all, number, name) => number ? String.fromCodePoint(Number(number)) : names[name] ?? all)
}

/** Returns the program that is missing, or undefined. On CI nothing may be missing. */
function missing(extension) {
  for (const [program] of programs[extension]) {
    try {
      execFileSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' })
    } catch {
      if (process.env.CI === 'true') throw new Error(`there is no ${program}`)
      return program
    }
  }
}

for (const task of Object.keys(results)) {
  for (const extension of Object.keys(programs)) {
    const file = `${task}.${extension}`
    const lacks = missing(extension)
    test(file, { skip: lacks && `${lacks} is not installed`, timeout: limit }, async () => {
      assert.ok(shown[file], `the page has no ${file}, but ${Object.keys(shown)}`)
      const path = join(folder, file)
      await writeFile(path, shown[file] + '\n')
      const [[program, ...args]] = programs[extension]
      const { stdout } = await promisify(execFile)(program, [...args, path], { timeout: limit, cwd: folder })
      assert.match(stdout, results[task])
    })
  }
}

test('mcp.json', async t => {
  if (!shown['mcp.json']) return t.skip('this service has no MCP server')
  const { miramundo: { type, url } } = JSON.parse(shown['mcp.json']).mcpServers
  assert.equal(type, 'http')
  const clientInfo = { name: 'snippets', version: '1' }
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /"serverInfo"/)
})

test('every language of the page shows the same examples', async () => {
  for (const path of paths) assert.deepEqual(await read(path), shown, path)
  assert.deepEqual(Object.keys(shown).filter(file => file !== 'mcp.json').sort(),
    Object.keys(results).flatMap(task => Object.keys(programs).map(extension => `${task}.${extension}`)).sort())
})
