import type { Lookup } from '../../../src/egress/guard.ts'
import { type Handler, HTML } from './camera.ts'
import type { Canary } from './canary.ts'

/** Stands for a public address: it is allowed, and it is not a canary. */
export const PUBLIC = '127.0.0.9'
const names: Record<string, readonly string[]> = {
  'private.test': ['127.0.0.1'],
  'private6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  // No server listens at the first one, and the second must not be tried instead.
  'mixed.test': ['127.0.0.10', '127.0.0.1', '127.0.0.2'],
  'public.test': [PUBLIC],
}
export const lookup: Lookup = async (name) => {
  const known =
    names[name] ?? (name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1'] : undefined)
  if (!known) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return known
}

export const SPELLINGS = [
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
export const NAMES = Object.keys(names).filter((name) => name !== 'public.test')

export const REDIRECTS = [301, 302, 303, 307, 308]

/** The requests that Chromium makes if allowed. Other attempts have reasons of their own to stay silent. */
export const WAYS = [
  ...REDIRECTS.flatMap((status) => ['', 'image-', 'captured-'].map((by) => `${by}redirect-${status}`)),
  ...`refresh-header meta-refresh location form click csp
    style prefetch preload modulepreload import font background cursor list content mask link-header
    image srcset1 source svg input table script module iframe object embed srcdoc data
    video poster video-source audio fetch fetch-opaque fetch-preflight fetch-keepalive fetch-redirect later
    xhr xhr-sync beacon socket socket-stream events from-worker worker-import worker-socket from-shared shared-import
    dynamic-import new-image font-face blob worklet audio-worklet`.split(/\s+/),
  // Except those without a server.
  ...[...SPELLINGS, ...NAMES].flatMap((host, index) =>
    /^0|\[::\]|ff|\[::127|2002|@|mapped/i.test(host) && !/^0[x1]/i.test(host) ? [] : [`spelled-${index}`],
  ),
]

interface Attack {
  /** Resolves when a page has tried everything. */
  untilTried(): Promise<unknown>
  /** Receives the messages of a page to its own site. */
  tell(name: string, value: string): void
  /** The address of the gate through which the page is captured. */
  gate(): string | undefined
}

/** A site that tries everything to reach the canaries. */
export function attacks(
  canary: Canary,
  { untilTried, tell, gate }: Attack,
): Record<string, string | Handler> {
  const cage = (name: string, scheme = 'http') => `${scheme}://127.0.0.1:${canary.port}/${name}`
  const page =
    (html: () => string, headers: () => Record<string, string> = () => ({})): Handler =>
    (answer) =>
      void answer.writeHead(200, { ...HTML, ...headers() }).end(html())
  // Long enough to try everything.
  const hold = '<img src=/hold>'
  return {
    '/hold': async (answer) => {
      await untilTried()
      answer.writeHead(404).end()
    },
    // Everything that a page can find out about a name, and draw.
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
      performance.setResourceTimingBufferSize(100_000)
      const entries = () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('secret.test'))
      Promise.all(all).then(async (said) => {
        // The entry of a frame may come after its load event. A request under way keeps the page from being captured.
        while (entries().length < 8) await fetch('/tell')
        const seen = entries().map(({ name, initiatorType, responseStatus, nextHopProtocol, transferSize,
            domainLookupStart, connectStart, requestStart, responseStart }) => [name, initiatorType, responseStatus, nextHopProtocol, transferSize,
            domainLookupStart > 0, connectStart > 0, requestStart > 0, responseStart > 0].join()).sort().join(' ')
        const found = [...said, ['timing', seen]]
        document.querySelector('pre').textContent = found.join('\\n')
        for (const [name, value] of found) fetch('/tell?' + new URLSearchParams({ [name]: value }))
      })</script>`,
    ),
    '/tell': (answer, _, url) => {
      for (const [name, value] of url.searchParams) tell(name, value)
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
    // Everything that would bypass a proxy, over UDP or on connections of its own.
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
      const { port } = new URL(gate() ?? '')
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
