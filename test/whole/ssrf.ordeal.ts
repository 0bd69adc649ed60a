// @module-tag browser

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Lookup } from '../../src/egress/guard.ts'
import { prepareTestBrowser } from '../support/browser/test-browser.ts'
import { attacks, lookup, NAMES, PUBLIC, REDIRECTS, SPELLINGS, WAYS } from '../support/camera/attacks.ts'
import {
  type CameraRules,
  findBrowsers,
  openTestCamera,
  paint,
  readCommand,
  readPixels,
  type Site,
  serveSite,
  socketsOf,
  type TestCamera,
  type Wanted,
} from '../support/camera/camera.ts'
import { type Canary, openCanary } from '../support/camera/canary.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'

// All traffic of the browser passes the guard, and no page reaches a private address. A site that is allowed by name and
// port tries everything to make a real browser talk to this machine. Canaries listen there and count what arrives.

/** A secure context without a certificate, so that pages can use every feature. */
const ATTACKER = 'attack.localhost'

let canary: Canary
let site: Site
/** On the port of the canaries, where only this site may be visited. */
let neighbour: Site
/** The messages of pages to their own site. */
let told: Map<string, string>
/** Resolves when a page has tried everything. If nothing may come of it, that is unknown: then after a while. */
let held: () => Promise<unknown>
/** The attacker whose pages are being served, if that matters. */
let attacked: TestCamera | undefined
/** The camera of all tests that need no rules of their own. */
let camera: TestCamera

beforeAll(async () => {
  canary = await openCanary()
  site = await serveSite(
    attacks(canary, {
      untilTried: () => held(),
      tell: (name, value) => void told.set(name, value),
      gate: () => [...(attacked?.gates ?? [])][0]?.proxyUrl,
    }),
  )
  neighbour = await serveSite(
    { '*': paint('#00ff00', `<img src="/again"><script>fetch('/more')</script>`) },
    {
      host: PUBLIC,
      port: canary.port,
    },
  )
  camera = openTestCamera({ allow: allowed(), lookup })
})
afterAll(async () => {
  await Promise.all([camera, canary, site, neighbour].map((one) => one.close()))
})
beforeEach(() => {
  canary.reset()
  told = new Map()
  held = () => sleep(1_500)
})

const allowed = () => `${ATTACKER}:${site.port},${PUBLIC},127.0.0.10`

function openAttackedCamera(rules: CameraRules = {}): TestCamera {
  const camera = openTestCamera({ allow: allowed(), lookup, ...rules })
  onTestFinished(() => camera.close())
  return camera
}

/** A camera that lets the browser reach the canaries: whatever it does not reach now, it never tried. */
const openControl = () =>
  openAttackedCamera({
    allow: `${allowed()},127.0.0.0/8,::1,localhost,*.localhost,private.test,private6.test`,
  })

const at = (path: string) => `http://${ATTACKER}:${site.port}${path}`

function expectSilence(): void {
  expect([...canary.asked]).toEqual([])
  expect({ connections: canary.connections(), datagrams: canary.datagrams }).toEqual({
    connections: 0,
    datagrams: 0,
  })
}

/** The outcome of a capture: a picture, or the reason of the failure. */
async function outcome(shot: Promise<unknown>): Promise<string> {
  return await shot.then(
    () => 'taken',
    (error) => error.reason ?? String(error),
  )
}

describe('the captured URL', () => {
  const captured = [...SPELLINGS, ...NAMES].filter((host) => URL.canParse(`http://${host}/`))

  test('cannot be any spelling of this machine, or any name that leads to it', async () => {
    expect(captured.length).toBeGreaterThan(35)
    const results = await Promise.all(
      captured.flatMap((host, index) =>
        // By https, the same checks apply to another request, CONNECT.
        (index % 4 === 0 || NAMES.includes(host) ? ['http', 'https'] : ['http']).map(async (scheme) => {
          const url = `${scheme}://${host}:${canary.port}/`
          return [url, await outcome(camera.take(url, { loadingTime: 10_000 }))]
        }),
      ),
    )
    const refused = ['blocked', 'refused']
    expect(results.filter(([, result = '']) => !refused.includes(result))).toEqual([])
    // Only the one whose first address is allowed was tried, at that address.
    expect(
      results.filter(([, result]) => result === 'refused').map(([url = '']) => new URL(url).hostname),
    ).toEqual(['mixed.test', 'mixed.test'])
    expectSilence()
  })

  test('can be each of them if that is allowed, and shows the canary', async () => {
    const camera = openControl()
    // A name cannot be reached at the unspecified address, nor at addresses that only embed an IPv4 one.
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

  test('must be a web URL', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'secret.html'), paint('#ff0000'))
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

describe('a page', () => {
  const PAGES = ['/markup', '/scripts', '/spelled', '/csp', '/datagrams']
  const LEAVING = ['/refresh-header', '/meta-refresh', '/location', '/form', '/click']
  const LEAVING_EACH = ['/location', '/click']

  /**
   * Everything at once; afterwards every context is closed, so that requests at the end of a page were sent. Of pages with a browser of
   * their own only some leave: by an answer, by a script and by a click. A browser follows the others in the same way.
   */
  async function attack(camera: TestCamera, wanted: Wanted, signal?: AbortSignal): Promise<string[]> {
    const [statuses, leaving] = wanted.cookies ? [REDIRECTS.slice(0, 1), LEAVING_EACH] : [REDIRECTS, LEAVING]
    const redirects = statuses.map(
      (status) => `/redirect?status=${status}&to=http://127.0.0.1:${canary.port}/captured-redirect-${status}`,
    )
    const shots = [...PAGES, ...leaving, ...redirects].map(async (path) =>
      outcome(camera.take(at(path), { fullPage: true, ...wanted }, signal)),
    )
    const results = await Promise.all(shots)
    await sleep(300)
    return results
  }

  // Pages with headers are paused at each request, and pages with cookies have their own browser.
  const VISITOR: Wanted = {
    device: 'Pixel 7',
    colorScheme: 'dark',
    cookieBanners: 'decline',
    headers: { 'x-secret': 'a' },
    cookies: [{ name: 'secret', value: 'b' }],
  }

  test.each<[string, Wanted]>([
    ['a page', {}],
    ['a page with headers, cookies and a device', VISITOR],
  ])('cannot reach this machine: %s', async (_, visitor) => {
    const results = await attack(camera, { loadingTime: PATIENCE_MS, ...visitor })
    expect(results.slice(0, PAGES.length)).toEqual(PAGES.map(() => 'taken'))
    expect(results.slice(PAGES.length)).toEqual(results.slice(PAGES.length).map(() => 'blocked'))
    expectSilence()
    expect(told.get('fetch')).toBe('failed')
  })

  test('cannot reach it if the environment tells Playwright not to proxy loopback either', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK', '1')
    const camera = openAttackedCamera()
    await camera.take(at('/spelled'))
    expectSilence()
  })

  test('can reach it in every way if that is allowed: every way was tried', async () => {
    const missing = () => WAYS.filter((way) => !canary.asked.has(`/${way}`))
    const over = new AbortController()
    onTestFinished(() => over.abort())
    held = async () => {
      while (missing().length > 0 && !over.signal.aborted) await sleep(50)
    }
    // Some pages are busy until their time is over.
    const attacking = attack(openControl(), { loadingTime: PATIENCE_MS }, over.signal)
    await expect.poll(missing).toEqual([])
    await expect.poll(() => told.get('fetch')).toBe('tweet')
    over.abort('called off')
    const results = await attacking
    expect(results.filter((result) => !['taken', 'called off'].includes(result))).toEqual([])
  })
})

/**
 * To learn which of the machine's addresses leads out, Chromium (443) and its WebRTC (53) connect datagram sockets to public addresses,
 * and close them again. The kernel looks up the route, and nothing is sent. 2001:4860:4860::8888 stands here as /proc writes it.
 */
const ROUTES = [
  'udp 8.8.8.8:53',
  'udp6 [60480120000060480000000088880000]:53',
  'udp6 [60480120000060480000000088880000]:443',
]

describe('beside the proxy', () => {
  test('a browser without our arguments sends datagrams and opens connections of its own', async () => {
    const prepared = await prepareTestBrowser()
    const browser = await chromium.launch({ ...prepared, chromiumSandbox: false })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(at('/datagrams'))
    await expect.poll(() => canary.datagrams > 0 && canary.connections() > 0).toBe(true)
  })

  test('a browser with our arguments opens no socket that does not lead to its gates', async () => {
    const before = new Set(findBrowsers())
    const camera = openAttackedCamera()
    const seen = new Set<string>()
    const watching = setInterval(() => {
      for (const browser of findBrowsers()) {
        // WebRTC makes sockets that lead nowhere and are never used: see the datagrams of the canary.
        const own = before.has(browser) ? [] : socketsOf(browser).filter((socket) => !socket.endsWith(':0'))
        for (const socket of own) seen.add(socket)
      }
    }, 25)
    try {
      await Promise.all(
        ['/datagrams', '/scripts', '/markup'].map((path) => camera.take(at(path), { loadingTime: 4_000 })),
      )
    } finally {
      clearInterval(watching)
    }
    const gates = camera.gatePorts.map((port) => `tcp 127.0.0.1:${port}`)
    expect(gates.filter((gate) => seen.has(gate))).toEqual(gates)
    expect([...seen].filter((socket) => ![...gates, ...ROUTES].includes(socket))).toEqual([])
    expectSilence()
  })

  test('a browser has a second line of defence, in its arguments', async () => {
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

  test('a page cannot address its gate', async () => {
    attacked = openAttackedCamera()
    expect(await outcome(attacked.take(at('/gate')))).toBe('taken')
    expect(told.size).toBe(5)
    expect([...told.values()]).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
    expectSilence()
  })
})

describe('a name', () => {
  test('that is private looks to a page, and in its picture, like one that does not exist', async () => {
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

  test('that changes its answer between look-ups is only visited at checked addresses', async () => {
    let lookups = 0
    const rebinding: Lookup = async (name) =>
      name === 'rebound.test' ? [lookups++ % 2 === 0 ? PUBLIC : '127.0.0.1'] : await lookup(name)
    const camera = openAttackedCamera({ lookup: rebinding })
    const before = neighbour.connections
    const url = `http://rebound.test:${canary.port}/`
    const results = await Promise.all([1, 2, 3, 4].map(() => outcome(camera.take(url))))
    expect(results).toContain('taken')
    expect(neighbour.connections).toBeGreaterThan(before)
    // Pages, their pictures and the requests of their scripts: each has a look-up of its own.
    expect(lookups).toBeGreaterThan(4)
    expectSilence()
  })
})

test('a picture never shows files of this machine', async () => {
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
