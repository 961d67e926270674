/** Kodi without a screen or a loudspeaker, asked by its JSON-RPC. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../pages/stack.mjs'

/** The add-on that reads lists of channels. */
export const addon = 'pvr.iptvsimple'
const installed = `/usr/share/kodi/addons/${addon}/resources`
const program = readdirSync('/usr/lib').map(folder => join('/usr/lib', folder, 'kodi', 'kodi.bin')).find(existsSync)

/** Says what is missing to run Kodi; undefined when everything is there. */
export function lacks() {
  if (!program) return 'no Kodi'
  if (!existsSync(installed)) return `no add-on ${addon} of Kodi`
  return existsSync('/usr/bin/Xvfb') ? undefined : 'no Xvfb'
}

/** Returns what the add-on calls a setting and its value in a language, such as pt_br; a value that is no choice has no name. */
export function namesOf(setting, value, language) {
  const form = new RegExp(`<setting id="${setting}"[^>]* label="(\\d+)"([\\s\\S]*?)</setting>`).exec(readFileSync(join(installed, 'settings.xml'), 'utf8'))
  if (!form) throw new Error(`the add-on has no setting ${setting}`)
  const choice = new RegExp(`<option label="(\\d+)">${value}</option>`).exec(form[2])
  return { label: said(form[1], language), value: choice && said(choice[1], language) }
}

/** Returns a text of the add-on in a language, or in English where it is not translated, as Kodi does. */
function said(id, language) {
  const texts = readFileSync(join(installed, 'language', `resource.language.${language}`, 'strings.po'), 'utf8')
  const [, english, translated] = new RegExp(`msgctxt "#${id}"\\nmsgid "(.*)"\\nmsgstr "(.*)"`).exec(texts)
  return translated || english
}

/** Starts Kodi with settings of the add-on. Returns how to call it, and `stop`. */
export async function start(settings) {
  const home = await mkdtemp(join(tmpdir(), 'miramundo-kodi-'))
  const port = await freePort()
  await write(home, '.kodi/userdata/guisettings.xml', {
    'services.webserver': true, 'services.webserverport': port, 'services.webserverauthentication': false, 'services.esenabled': false, 'services.zeroconf': false, 'general.addonupdates': 2
  })
  await write(home, `.kodi/userdata/addon_data/${addon}/settings.xml`, settings)
  await writeFile(join(home, '.asoundrc'), 'pcm.!default { type null }\nctl.!default { type null }\n')

  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '640x360x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [display] = await once(screen.stdio[3], 'data')
  const env = { ...process.env, HOME: home, DISPLAY: `:${String(display).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' }
  const kodi = spawn(program, ['--standalone', '--audio-backend=alsa'], { env, stdio: 'ignore' })
  const stop = async () => {
    for (const child of [kodi, screen]) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill(child === kodi ? 'SIGKILL' : 'SIGTERM') // asked to end, Kodi may wait for its players
      await ended
    }
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  const call = async (method, params = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/jsonrpc`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
    const { result, error } = await response.json()
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  try {
    await until(async () => await call('JSONRPC.Ping') === 'pong')
  } catch (error) {
    await stop()
    throw error
  }
  return { call, stop }
}

/** Writes settings as Kodi stores them. */
async function write(home, name, settings) {
  const lines = Object.entries(settings).map(([id, value]) => `  <setting id="${id}">${String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</setting>\n`)
  await mkdir(join(home, name, '..'), { recursive: true })
  await writeFile(join(home, name), `<settings version="2">\n${lines.join('')}</settings>\n`)
}

/** Asks until the answer is truthy, and returns it. An error counts as no answer yet; the last one is told when a minute has gone by. */
export async function until(ask) {
  let last
  for (const begun = Date.now(); Date.now() - begun < 60_000; await new Promise(resolve => setTimeout(resolve, 250))) {
    try {
      const answer = await ask()
      if (answer) return answer
      last = undefined
    } catch (error) {
      last = error
    }
  }
  throw last ?? new Error(`a minute went by: ${ask}`)
}
