/**
 * Looks at the pages with a browser: builds and starts the local stack, runs the
 * tests on it, and joins the pictures that were taken to a sheet to look at.
 *
 *   node scripts/pages/run.mjs                 all tests
 *   node scripts/pages/run.mjs flows/zap       those with this in the names of their files
 *   node scripts/pages/run.mjs --stack FILE    on a stack that runs, as FILE tells its addresses
 *   node scripts/pages/run.mjs --backend emulators flows/find    on what is deployed, a process for each function
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { available } from './browser.mjs'
import { station } from './pages.mjs'
import { draw } from './sheet.mjs'
import { build, root, start } from './stack.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { stack: { type: 'string' }, backend: { type: 'string' } } })
const here = join(root, 'scripts', 'pages')
const out = join(root, 'bin', 'pages')
const shots = join(out, 'shots')
const failures = join(out, 'failures.txt')

/** The longest of the tests, beside which the others run. The runner sorts the files that it is given, and would begin it last. */
const longest = 'matrix.test.mjs'

const runners = new Set() // of tests that run

process.exitCode = available() ? await main() : told('there is no Chromium: nothing was looked at')

async function main() {
  const stack = values.stack ? { ...JSON.parse(readFileSync(values.stack, 'utf8')), stop() {} } : await begin()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      for (const runner of runners) runner.kill()
      void stack.stop()
    })
  }
  try {
    stack.station = await station(stack.base)
    const files = testFiles().filter(file => positionals.length === 0 || positionals.some(part => file.includes(part)))
    if (files.length === 0) return told(`no test has ${positionals.join(' or ')} in its name`, 2)
    const pictures = !process.env.CI && files.some(file => file.startsWith('matrix')) // which nobody looks at there
    if (pictures) await rm(shots, { recursive: true, force: true })
    const code = await run(files, stack, pictures)
    if (pictures) told(`pictures of the pages: ${await draw(shots, out)}`)
    return code
  } finally {
    await stack.stop()
  }
}

async function begin() {
  await build()
  return start({ backend: values.backend })
}

/** Lists the tests in this folder and below it. */
function testFiles() {
  return readdirSync(here, { recursive: true }).filter(name => name.endsWith('.test.mjs') && !name.includes('node_modules')).sort()
}

/**
 * Runs tests, the longest beside the others, and returns how they ended. On CI, whose
 * machine may be busy with other things, files that fail are run once more, one
 * at a time: what fails again is a defect, and what does not is told.
 */
async function run(files, stack, pictures) {
  await mkdir(out, { recursive: true })
  const { base, hop, origin, data, station } = stack
  const env = {
    ...process.env, MIRAMUNDO_PAGES_STACK: JSON.stringify({ base, hop, origin, data, station }), MIRAMUNDO_PAGES_FAILURES: failures, ...(pictures && { MIRAMUNDO_PAGES_SHOTS: shots })
  }
  delete env.NODE_TEST_CONTEXT
  await rm(failures, { force: true })
  const codes = await Promise.all([runOnce(files.filter(file => file === longest), 1, env), runOnce(files.filter(file => file !== longest), 2, env)])
  const code = Math.max(...codes)
  const again = code ? failedOf(files) : []
  if (!process.env.CI || again.length === 0) return code
  told(`failed, and once more alone: ${again.join(', ')}`)
  const only = linesOfFailures().filter(line => line.startsWith('only ')).map(line => line.slice('only '.length))
  await rm(failures, { force: true })
  return runOnce(again, 1, { ...env, ...(only.length > 0 && { MIRAMUNDO_PAGES_ONLY: only.join(',') }) })
}

/** Runs tests, some files at a time, of which those that fail are listed in the file failures. */
async function runOnce(files, atOnce, env) {
  if (files.length === 0) return 0
  const runner = spawn(process.execPath, ['--test', `--test-concurrency=${atOnce}`, '--test-reporter=spec', ...files], { cwd: here, env, stdio: 'inherit' })
  runners.add(runner)
  const [code] = await once(runner, 'exit')
  runners.delete(runner)
  return code ?? 1
}

/** Returns which of the files the last run failed in. */
function failedOf(files) {
  const failed = linesOfFailures()
  return files.filter(file => failed.includes(join(here, file)))
}

function linesOfFailures() {
  return existsSync(failures) ? readFileSync(failures, 'utf8').split('\n') : []
}

function told(what, code = 0) {
  console.log(what)
  return code
}
