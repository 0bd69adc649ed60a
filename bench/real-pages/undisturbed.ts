import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { findBenchBrowser, openOurs, openPlain } from './cameras.ts'
import { workThrough } from './jobs.ts'
import type { Options } from './options.ts'
import { type RealSite, serveRealPages } from './serve.ts'

const SIZE = { width: 1280, height: 800 }
const AT_A_TIME = 2
const TOLD = '/__told'
/** What a recorder says when it begins: a page that never says so was not watched. */
const BEGUN = 'begun'

/** Stands first in every page: tells of each event and each reading of its window that differs from the first. */
const RECORDER = `<script>(() => {
  const tell = (what) => {
    const request = new XMLHttpRequest()
    request.open('POST', '${TOLD}?' + encodeURIComponent(location.pathname + ' ' + what), false)
    try { request.send() } catch {}
  }
  const [width, height] = [innerWidth, innerHeight]
  const look = () => {
    if (innerWidth !== width || innerHeight !== height) tell('reads ' + innerWidth + ' x ' + innerHeight)
  }
  const everyFrame = () => { look(); requestAnimationFrame(everyFrame) }
  addEventListener('resize', ({ target }) => target === window && tell('resize'), true)
  visualViewport.addEventListener('resize', () => tell('resize of the visual viewport'))
  matchMedia('(width: ' + width + 'px) and (height: ' + height + 'px)').addEventListener('change', () => tell('media query'))
  setInterval(look, 5)
  everyFrame()
  tell('${BEGUN}')
})()</script>`

/** How many pages notice that a picture of all of them is taken. */
export async function checkUndisturbed(options: Options): Promise<void> {
  const found = await findBenchBrowser()
  const site = await serveRealPages(options.choose((page) => page.notCounted === undefined))
  const relay = await startRelay(site)
  options.say(`${found.kind} ${found.path}, ${site.pages.length} pages, ${AT_A_TIME} at a time`)
  options.say('| camera | pages watched | that noticed |')
  for (const [who, open] of [
    ['ours', async () => openOurs(found, relay.port, AT_A_TIME)],
    ['Playwright', () => openPlain(found, relay.port)],
  ] as const) {
    const told = relay.listen()
    const camera = await open()
    await workThrough(site.pages, AT_A_TIME, async (page) => {
      const url = Object.assign(new URL(site.urlOf(page)), { port: relay.port }).href
      await camera.take({ url, ...SIZE, fullPage: true })
    })
    await camera.close()
    const heard = site.pages.map((page) => ({
      name: page.name,
      all: told.get(new URL(site.urlOf(page)).pathname) ?? new Set<string>(),
    }))
    const watched = heard.filter(({ all }) => all.has(BEGUN))
    const noticed = watched.filter(({ all }) => all.size > 1)
    options.say(`| ${who} | ${watched.length} | ${noticed.length} |`)
    for (const { name, all } of noticed) options.say(`  ${name}: ${[...all].slice(1, 4).join('; ')}`)
  }
  await relay.close()
  await site.close()
}

/** The same site with a recorder in each of its pages. */
async function startRelay(site: RealSite) {
  let told = new Map<string, Set<string>>()
  const hear = (query: string) => {
    const [path = '', ...what] = decodeURIComponent(query).split(' ')
    told.set(path, (told.get(path) ?? new Set()).add(what.join(' ')))
  }
  const server = createServer((asked, answer) => {
    const [path, query = ''] = (asked.url ?? '').split('?')
    if (path === TOLD) {
      hear(query)
      answer.end()
    } else relay(site, asked, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** What is told from now on, by the path of the page. */
    listen() {
      told = new Map()
      return told
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function relay({ port }: RealSite, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url: path } = asked
  const passedOn = request({ host: '127.0.0.1', port, path, method, headers }, async (given) => {
    if (given.headers['content-type'] !== 'text/html') {
      answer.writeHead(given.statusCode ?? 500, given.headers)
      given.pipe(answer)
      return
    }
    // Whatever its characters are: byte by byte.
    const html = await text(given.setEncoding('latin1'))
    const { 'content-length': _, ...rest } = given.headers
    answer.writeHead(given.statusCode ?? 500, rest)
    answer.end(
      html.replace(/<head[^>]*>/i, (head) => head + RECORDER),
      'latin1',
    )
  })
  passedOn.on('error', () => answer.destroy())
  asked.pipe(passedOn)
}
