/**
 * An origin of many behaviours, and what a hop answers for them. Its media is
 * that of the stack's test channel, so that it plays for as long as anyone looks.
 */
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import { shared } from '../stack.mjs'

const open = { 'Access-Control-Allow-Origin': '*' }
const exposed = { ...open, 'Access-Control-Expose-Headers': 'X-Service-Upstream-Status' }
const listType = 'application/vnd.apple.mpegurl'

/** Whether ffmpeg is here, which makes what the test channel has not. */
export const canClip = spawnSync('ffmpeg', ['-version']).status === 0

/** What is asked of this origin, by what of it answers. */
export class Origin {
  asked = []
  /** No segment is answered. */
  still = false
  #open = new Set()

  /** The segments of its playlists may be those of another origin, as they are of a hop's. */
  constructor(media) {
    this.media = media ?? this
    this.server = createServer((request, response) => {
      this.asked.push(request.url)
      this.answer(request, response).catch(() => response.destroy())
    })
    before(async () => {
      this.server.listen(0, '127.0.0.1')
      await once(this.server, 'listening')
      this.base = `http://127.0.0.1:${this.server.address().port}`
    })
    after(() => {
      this.server.closeAllConnections()
      this.server.close()
      return this.folder && rm(this.folder, { recursive: true, force: true })
    })
  }

  /** The address of a behaviour. */
  url(path) {
    return `${this.base}/${path}`
  }

  async answer(request, response) {
    const [, what, ...rest] = new URL(request.url, this.base).pathname.split('/')
    const behaviour = this[`$${what}`]
    if (!behaviour) return response.writeHead(404, open).end()
    return behaviour.call(this, response, rest.join('/'))
  }

  /** A live playlist whose segments are at another behaviour. */
  async $live(response, segments) {
    const list = await (await fetch(`${shared().origin}/tv/live.m3u8`)).text()
    response.writeHead(200, { ...open, 'Content-Type': listType }).end(list.replace(/^(\d+\.ts)$/gm, `${this.media.base}/${segments}/$1`))
  }

  /** A list of one quality, whose codecs are said. */
  $codecs(response, codecs) {
    const list = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=110000,CODECS="${decodeURIComponent(codecs)}",RESOLUTION=320x180\n${this.base}/live/good\n`
    response.writeHead(200, { ...open, 'Content-Type': listType }).end(list)
  }

  /** A list of two qualities. */
  $two(response) {
    const of = (bits, lines) => `#EXT-X-STREAM-INF:BANDWIDTH=${bits},CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=${lines}\n${this.base}/live/good\n`
    response.writeHead(200, { ...open, 'Content-Type': listType }).end(`#EXTM3U\n${of(110000, '320x180')}${of(220000, '640x360')}`)
  }

  /** A recording with captions and sounds to choose from. */
  async $tracks(response, what) {
    if (what.endsWith('.vtt')) return response.writeHead(200, { ...open, 'Content-Type': 'text/vtt' }).end('WEBVTT\n\n00:00.000 --> 01:00.000\nA line\n')
    const list = await (await fetch(`${shared().origin}/tv/live.m3u8`)).text()
    const numbers = [...list.matchAll(/^(\d+)\.ts$/gm)].map(([, n]) => n)
    const media = (name, kind, uri, first) => `#EXT-X-MEDIA:TYPE=${kind},GROUP-ID="${kind}",NAME="${name}",DEFAULT=${first ? 'YES' : 'NO'},AUTOSELECT=YES,URI="${this.base}/tracks/${uri}"\n`
    const recording = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n${numbers.map(n => `#EXTINF:2,\n${this.base}/good/${n}.ts\n`).join('')}#EXT-X-ENDLIST\n`
    const bodies = {
      '': `#EXTM3U\n${media('Português', 'SUBTITLES', 'pt.m3u8', true)}${media('<b>English</b>', 'SUBTITLES', 'en.m3u8', false)}`
        + `${media('Som', 'AUDIO', 'list.m3u8', true)}${media('Descrição', 'AUDIO', 'list.m3u8', false)}`
        + `#EXT-X-STREAM-INF:BANDWIDTH=110000,CODECS="avc1.42c01e,mp4a.40.2",AUDIO="AUDIO",SUBTITLES="SUBTITLES"\n${this.base}/tracks/list.m3u8\n`,
      'list.m3u8': recording
    }
    const captions = `#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXTINF:60,\n${this.base}/tracks/${basename(what, '.m3u8')}.vtt\n#EXT-X-ENDLIST\n`
    response.writeHead(200, { ...open, 'Content-Type': listType }).end(bodies[what] ?? captions)
  }

  /** Makes a clip as FLV and as DASH. */
  async clip() {
    this.folder = await mkdtemp(join(tmpdir(), 'miramundo-clip-'))
    const source = '-v error -f lavfi -i testsrc2=s=320x180:r=25:d=12 -f lavfi -i sine=d=12 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -profile:v baseline -g 25 -c:a aac'.split(' ')
    for (const to of [['-f', 'flv', 'clip.flv'], ['-f', 'dash', '-seg_duration', '2', 'clip.mpd']]) {
      await promisify(execFile)('ffmpeg', [...source, ...to], { cwd: this.folder })
    }
  }

  async $clip(response, name) {
    const types = { '.flv': 'video/x-flv', '.mpd': 'application/dash+xml', '.m4s': 'video/mp4' }
    const type = types[name.slice(-4)]
    response.writeHead(200, { ...open, 'Content-Type': type }).end(await readFile(join(this.folder, basename(name))))
  }

  async $good(response, name) {
    if (this.still) return this.#open.add(response)
    await this.#segment(response, name, open)
  }

  async $closed(response, name) {
    await this.#segment(response, name, {})
  }

  /** Continuous transport stream: what was sent last, and what comes. `leave` is what scripts are allowed. */
  async #endless(response, leave) {
    response.writeHead(200, { ...leave, 'Content-Type': 'video/mp2t' })
    for (let next = 0; !response.destroyed;) {
      const list = await (await fetch(`${shared().origin}/tv/live.m3u8`)).text()
      const names = [...list.matchAll(/^(\d+)\.ts$/gm)].map(([, n]) => Number(n)).filter(n => n >= next)
      for (const n of names) {
        if (response.destroyed) return
        response.write(Buffer.from(await (await fetch(`${shared().origin}/tv/${n}.ts`)).arrayBuffer()))
        next = n + 1
      }
      await new Promise(resolve => setTimeout(resolve, 500)) // as segments come
    }
  }

  $ts(response) {
    return this.#endless(response, open)
  }

  $closedts(response) {
    return this.#endless(response, {})
  }

  $junk(response) {
    response.writeHead(200, { ...open, 'Content-Type': listType }).end('<html>not what was asked for</html>')
  }

  $status(response, status) {
    response.writeHead(Number.parseInt(status), open).end()
  }

  $hang(response) {
    this.#open.add(response)
  }

  $broken(response) {
    response.destroy()
  }

  /** Answers as a hop: "status/code/upstream". */
  $hop(response, path) {
    const [status, error, upstream] = path.split('/')
    response.writeHead(Number(status), { ...exposed, 'Content-Type': 'application/json', ...(upstream && { 'X-Service-Upstream-Status': upstream }) })
      .end(JSON.stringify({ error, message: error }))
  }

  async #segment(response, name, leave) {
    const answer = await fetch(`${shared().origin}/tv/${name}`)
    response.writeHead(answer.status, { ...leave, 'Content-Type': 'video/mp2t' }).end(Buffer.from(await answer.arrayBuffer()))
  }
}
