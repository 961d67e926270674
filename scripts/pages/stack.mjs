/**
 * The service that the browser looks at: the local stack, with a catalog, the
 * test channel and all that belongs to them, on free ports of this machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const binary = join(root, 'bin', 'dev')
const single = join(root, 'bin', 'function')
const deadLetter = join(root, 'bin', 'deadletter')

/** The header in which a test says which network it comes from. */
export const addressHeader = 'X-Test-Address'

/** The operator's token of the stacks of tests. */
export const operatorToken = 'operator-token-of-the-tests'

/** The token of the numbers of the stacks of tests. */
export const metricsToken = 'metrics-token-of-the-tests'

/** How long a stack may take until it answers, on the emulators too, for which it builds what is deployed, and until its jobs have run. */
const readyTime = 60_000
const buildTime = 300_000
const settleTime = 300_000

/** Builds the stack, with the pages that `make generate` made. */
export async function build() {
  for (const [to, from] of [[binary, './scripts/dev'], [single, './functions/serve'], [deadLetter, './scripts/pages/deadletter']]) {
    const compiler = spawn('go', ['build', '-o', to, from], { cwd: root, stdio: 'inherit' })
    const [code] = await once(compiler, 'exit')
    if (code !== 0) throw new Error(`go build ${from} ended with ${code}`)
  }
}

/**
 * Starts the stack that was built on a catalog: "sample", or a folder, and on a backend. With
 * jobs, it is there when each has run once: what they find out is shown then.
 * Settings are variables of its environment. Returns its addresses, `stop`, and
 * `restart`, which ends the processes and starts them again at the same address with
 * the same data.
 */
export async function start({ catalog = 'sample', jobs = true, settings = {}, gateway = '127.0.0.1:0', data: kept, backend = 'embedded' } = {}) {
  const data = kept ?? await mkdtemp(join(tmpdir(), 'miramundo-pages-'))
  const flags = ['-gateway', gateway, '-data', data, '-catalog', catalog, `-jobs=${jobs}`, '-backend', backend]
  const env = { ...globalThis.process.env, CATALOGO_TOKEN: operatorToken, GUEST_BURST: 10_000, METRICS_TOKEN: metricsToken, EDGE_ADDRESS_HEADER: addressHeader, ...settings } // tests come from networks of their own, since each network may do only so much
  const process = spawn(binary, flags, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = new Log(process)
  const stop = () => end(process, data)
  try {
    const [, base] = await log.line(/^ready (http:\S+)/, backend === 'emulators' ? buildTime : readyTime)
    const [, hop] = await log.line(/^hop at (http:[^,]+),/, readyTime)
    const [, origin] = await log.line(/^test channel at (http:\/\/[^/]+)/, readyTime)
    if (jobs) await log.line(/^each job has run once/, settleTime)
    const restart = async () => {
      await halt(process)
      return start({ catalog, jobs, settings, gateway: new URL(base).host, data, backend })
    }
    return { base, hop, origin, data, stop, restart }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts the function of the pages alone, as it is deployed, before there is a catalog: there is nothing to show. */
export async function startEmpty() {
  const data = await mkdtemp(join(tmpdir(), 'miramundo-pages-'))
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const settings = { FUNCTION_TARGET: 'web', LOCAL_ONLY: 'true', PORT: port, BASE_URL: base, DATA_DIR: data, CATALOG: 'sample', BACKEND: 'embedded', ACCOUNT_KEYS: `main:${'k'.repeat(32)}`, PEOPLE_KEYS: `main:${'p'.repeat(32)}`, MAIL_FOLDER: join(data, 'mail') }
  const process = spawn(single, { cwd: root, env: settings, stdio: 'ignore' })
  const stop = () => end(process, data)
  for (const begun = Date.now(); ; await new Promise(resolve => setTimeout(resolve, 50))) {
    if (await fetch(base).then(() => true, () => false)) return { base, stop }
    if (process.exitCode === null && Date.now() - begun < readyTime) continue
    await stop()
    throw new Error('the function of the pages does not answer')
  }
}

/** Returns a port of this machine that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Ends a process as the platform does, and removes what it kept. */
async function end(process, data) {
  await halt(process)
  await rm(data, { recursive: true, force: true })
}

async function halt(process) {
  if (process.exitCode !== null || process.signalCode !== null) return
  process.kill('SIGTERM')
  await once(process, 'exit')
}

/** Puts a dead letter into the data of a stack, a favorite of a channel, and returns its id. */
export async function addDeadLetter({ data }, channel, failure) {
  const process = spawn(deadLetter, ['-data', data, '-channel', channel, '-failure', failure], { stdio: ['ignore', 'pipe', 'inherit'] })
  let id = ''
  process.stdout.on('data', part => { id += part })
  const [code] = await once(process, 'close')
  if (code !== 0) throw new Error(`no dead letter was added: it ended with ${code}`)
  return id.trim()
}

/** What a stack says. */
class Log {
  lines = []
  waiting = new Set()

  constructor(process) {
    for (const stream of [process.stdout, process.stderr]) {
      createInterface({ input: stream }).on('line', line => {
        this.lines.push(line)
        for (const look of this.waiting) look()
      })
    }
    process.on('exit', code => {
      this.ended = `it ended with ${code}`
      for (const look of this.waiting) look()
    })
  }

  /** Waits for a line of a form, and returns what matches. */
  line(form, limit) {
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(timer)
        this.waiting.delete(look)
        settle(value)
      }
      const fail = why => done(reject, new Error(`the stack did not say ${form}: ${why}\n${this.lines.slice(-20).join('\n')}`))
      const look = () => {
        const match = this.lines.map(line => form.exec(line)).find(Boolean)
        if (match) done(resolve, match)
        else if (this.ended) fail(this.ended)
      }
      const timer = setTimeout(() => fail(`${limit / 1000} s went by`), limit)
      this.waiting.add(look)
      look()
    })
  }
}

/** The stack that the tests of this run share; see run.mjs. */
export function shared() {
  const text = process.env.MIRAMUNDO_PAGES_STACK
  if (!text) throw new Error('there is no stack to look at: run this with make test-pages ARGS=FILE')
  return JSON.parse(text)
}
