// @module-tag browser

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FoundBrowser } from '../../src/browser/browser.ts'
import { findBrowsers as findAllBrowsers } from '../../src/browser/find-browser.ts'
import type { Shot } from '../../src/camera/camera.ts'
import {
  type CameraRules,
  findBrowsers,
  type Handler,
  HTML,
  openTestCamera,
  paint,
  processesOf,
  profilesOf,
  readPixels,
  type Site,
  serveSite,
  type TestCamera,
} from '../support/camera.ts'
import { freePort } from '../support/ports.ts'
import { type RunningProcess, start } from '../support/process.ts'
import { BROWSER_ENV, findTestBrowser } from '../support/test-browser.ts'
import { until } from '../support/until.ts'
import { makeFolder } from '../support/workspace.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RED = '#ff0000'
const GREEN = '#00ff00'
const BLUE = '#0000ff'

const after =
  (ms: number, answer: Handler): Handler =>
  (...given) =>
    void setTimeout(() => answer(...given), ms)
const never: Handler = () => {}
const redirect =
  (to: (url: URL) => string, status = 302): Handler =>
  (answer, _, url) =>
    void answer.writeHead(status, { location: to(url) }).end()
const picture =
  (colour: string): Handler =>
  async (answer) => {
    const create = { width: 10, height: 10, channels: 3, background: colour } as const
    answer.writeHead(200, { 'content-type': 'image/png' }).end(await sharp({ create }).png().toBuffer())
  }
const box = (colour: string, left: number, top: number, more = '') =>
  `<div style="position:absolute;left:${left}px;top:${top}px;width:100px;height:100px;background:${colour};${more}"></div>`
const image = (src: string, top: number, more = '') =>
  `<img src="${src}" ${more} style="position:absolute;left:0;top:${top}px;width:100px;height:100px">`
const green = 'document.documentElement.style.background = "#00ff00"'

const pages: Record<string, string | Handler> = {
  '/corners': paint('#ffffff', box(RED, 0, 0) + box(GREEN, 1100, 0) + box(BLUE, 1100, 620)),
  '/long': paint(BLUE, `<div style="height:3000px"></div>${box(RED, 0, 2900)}`),
  '/endless': paint(BLUE, '<div style="height:200000px"></div>'),
  '/wide': paint(BLUE, box(RED, 5000, 0) + box(GREEN, 1100, 0)),
  '/dialogs': paint(
    RED,
    `<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }
      alert('a'); confirm('b'); prompt('c'); print(); ${green}
      onload = () => { print(); alert('d') }</script>`,
  ),
  '/leaves': paint(
    RED,
    `<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }; location = '/green'</script>`,
  ),
  '/green': paint(GREEN),
  '/popups': paint(
    GREEN,
    `<a id=a target=_blank href=/popup>a</a><script>
      for (let i = 0; i < 5; i++) { open('/popup'); a.click() }
      setInterval(() => open('/popup?' + Math.random()), 50)</script>`,
  ),
  '/popup': paint(RED, `<script>opener?.alert(1); setTimeout(() => fetch('/popup-lives'), 1500)</script>`),
  '/attachment': (answer) =>
    void answer.writeHead(200, { ...HTML, 'content-disposition': 'attachment' }).end('kept'),
  '/binary': (answer) =>
    void answer.writeHead(200, { 'content-type': 'application/octet-stream' }).end('kept'),
  '/downloads': paint(
    GREEN,
    '<a id=a download href=/binary>a</a><iframe src=/attachment></iframe><script>a.click()</script>',
  ),
  '/unfinished': paint(GREEN, image('/never', 0)),
  '/never': never,
  '/half': (answer) => void answer.writeHead(200, HTML).write(paint(GREEN).replace('</body></html>', '')),
  '/reloads': paint(GREEN, '<script>location.reload()</script>'),
  '/reloads-later': paint(GREEN, '<script>onload = () => setTimeout(() => location.reload(), 30)</script>'),
  '/refreshes': paint(GREEN, '<meta http-equiv=refresh content=0>'),
  '/loop': redirect(() => '/loop'),
  '/longer': redirect((url) => `/longer?${Number(url.search.slice(1)) + 1}`, 307),
  '/chain': redirect((url) =>
    url.search === '?10' ? '/green' : `/chain?${Number(url.search.slice(1)) + 1}`,
  ),
  '/large': (answer) => {
    const chunk = Buffer.alloc(100_000, 'x')
    answer.writeHead(200, HTML).write('<p>')
    const more = () => !answer.destroyed && answer.write(chunk, () => setImmediate(more))
    more()
  },
  '/loads-large': paint(GREEN, `<script>fetch('/large').then((answer) => answer.text())</script>`),
  '/gone': (answer) => void answer.writeHead(404, HTML).end(paint(GREEN)),
  '/broken': (answer) => void answer.writeHead(500, HTML).end(paint(GREEN)),
  '/to-private': redirect(() => 'http://10.0.0.1/'),
  '/to-dead-name': paint(GREEN, `<script>location = 'http://dead.nowhere/'</script>`),
  '/observed': paint(
    RED,
    `<div id=far style="position:absolute;top:5000px;width:100%;height:500px"></div><script>
      new IntersectionObserver(([seen]) => { if (seen.isIntersecting) far.style.background = '${GREEN}' }).observe(far)
    </script>`,
  ),
  '/streaming': paint(GREEN, `<script>new EventSource('/endless-events')</script>`),
  '/endless-events': (answer) =>
    void answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
  '/lazy': paint(
    BLUE,
    `<div style="height:9000px"></div>${image('/late.png', 8000, 'loading=lazy')}
      <iframe loading=lazy src=/late-frame style="position:absolute;left:200px;top:8000px;border:0"></iframe>`,
  ),
  '/late.png': after(300, picture(RED)),
  '/late-frame': after(300, (answer) => void answer.writeHead(200, HTML).end(paint(GREEN))),
  '/font': paint(
    BLUE,
    `<style>@font-face { font-family: icons; src: url(/font.ttf); font-display: block }
      p { font: 400px/1 icons; color: ${RED}; margin: 0 }</style><p>&#xea71;</p>`,
  ),
  '/fetches': paint(
    RED,
    `<script>fetch('/late.json').then((r) => r.json())
      .then(() => setTimeout(() => fetch('/late.json').then(() => { ${green} }), 200))</script>`,
  ),
  '/late.json': after(400, (answer) => void answer.end('{}')),
  '/moves': paint(
    BLUE,
    `<style>@keyframes turn { from { background: red } to { background: ${GREEN} } }
      @keyframes spin { to { background: red } }
      #a { animation: turn 60s forwards } #b { animation: spin 1s infinite; background: ${GREEN} }
      #c { transition: background 60s; background: red } .on #c { background: ${GREEN} }
      div { width: 100px; height: 100px }</style><div id=a></div><div id=b></div><div id=c></div>
      <script>onload = () => { c.offsetTop; document.body.className = 'on' }</script>`,
  ),
  '/anchors': paint(
    RED,
    `<div style="height:2000px"></div><div id=far style="height:2000px;background:${BLUE}"></div>`,
  ),
  '/state': (answer) =>
    void answer.writeHead(200, { ...HTML, 'set-cookie': 'a=1; max-age=9999' }).end(
      paint(
        GREEN,
        `<script src=/cached.js></script><script>
          const bad = () => { document.documentElement.style.background = 'red' }
          if (localStorage.a || /b=1/.test(document.cookie) || name) bad()
          localStorage.a = sessionStorage.a = name = 1
          document.cookie = 'b=1; max-age=9999'
          const opening = indexedDB.open('a', 1)
          opening.onupgradeneeded = (event) => { if (event.oldVersion > 0) bad() }
          opening.onsuccess = () => {
            const store = opening.result.objectStoreNames
            if (store.contains('a')) bad()
          }
          fetch('/cookies').then((r) => r.text()).then((text) => { if (text.includes('seen')) bad() })
        </script>`,
      ),
    ),
  '/cached.js': (answer) =>
    void answer.writeHead(200, { 'cache-control': 'max-age=9999', 'content-type': 'text/javascript' }).end(),
  '/cookies': (answer) => void answer.writeHead(200, { 'set-cookie': 'seen=1; max-age=9999' }).end('fresh'),
  '/slow-green': after(300, (answer) => void answer.writeHead(200, HTML).end(paint(GREEN))),
}

let site: Site
let camera: TestCamera
const at = (path: string) => `http://site.test:${site.port}${path}`

beforeAll(async () => {
  const [font = ''] = await Array.fromAsync(
    glob('node_modules/playwright-core/lib/**/codicon*.ttf', { cwd: ROOT }),
  )
  const ttf = await readFile(join(ROOT, font))
  site = await serveSite({ ...pages, '/font.ttf': after(500, (answer) => void answer.end(ttf)) })
  camera = openTestCamera({ allow: `site.test:${site.port}` })
})
afterAll(async () => {
  await camera.close()
  await site.close()
})

/** Only for this test. */
function openOwnCamera(rules: CameraRules = {}): TestCamera {
  const own = openTestCamera({ allow: `site.test:${site.port}`, ...rules })
  onTestFinished(() => own.close())
  return own
}

async function look(shot: Promise<Shot>) {
  return await readPixels((await shot).bytes)
}

/** Longer than a test may take: who waits for it hangs. */
const FOREVER = 600_000
/** To load, until the picture is taken of what is there; on a busy machine as well. */
const A_WHILE = 4_000

describe.concurrent('the picture', () => {
  test('is as large as the window, with every colour at its place', async () => {
    const shown = await look(camera.take(at('/corners')))
    expect([shown.width, shown.height]).toEqual([1200, 720])
    expect([shown.at(0, 0), shown.at(99, 99), shown.at(100, 100)]).toEqual([RED, RED, '#ffffff'])
    expect([shown.at(1100, 0), shown.at(1199, 99), shown.at(1199, 719), shown.at(1099, 719)]).toEqual([
      GREEN,
      GREEN,
      BLUE,
      '#ffffff',
    ])
    expect((await camera.take(at('/long'))).seen.marks).toEqual([])
  })

  test('of a full page has its height, and at least that of the window', async () => {
    const [long, short] = await Promise.all([
      look(camera.take(at('/long'), { fullPage: true })),
      look(camera.take(at('/green'), { fullPage: true, width: 321, height: 123 })),
    ])
    expect([long.width, long.height, long.at(50, 2950), long.at(50, 2850)]).toEqual([1200, 3000, RED, BLUE])
    expect([short.width, short.height, short.at(320, 122)]).toEqual([321, 123, GREEN])
  })

  test('of an endless page is cut, and says so', async () => {
    const shot = await camera.take(at('/endless'), { fullPage: true, width: 400 })
    const shown = await readPixels(shot.bytes)
    expect(shot.seen.marks).toEqual(['cut'])
    expect([shown.width, shown.height, shown.at(399, 16_383)]).toEqual([400, 16_384, BLUE])
  })

  test('is cut where it would have too many pixels', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, limits: { pixels: 400_000 } })
    try {
      const shot = await own.take(at('/long'), { fullPage: true, width: 400 })
      const shown = await readPixels(shot.bytes)
      expect(shot.seen.marks).toEqual(['cut'])
      expect([shown.width, shown.height]).toEqual([400, 1000])
    } finally {
      await own.close()
    }
  })

  test('is never wider than the window', async () => {
    for (const fullPage of [false, true]) {
      const shown = await look(camera.take(at('/wide'), { fullPage }))
      expect([shown.width, shown.height, shown.at(1150, 50), shown.at(0, 50)]).toEqual([
        1200,
        720,
        GREEN,
        BLUE,
      ])
    }
  })

  test.each(['/gone', '/broken'])('is taken of errors, too: %s', async (path) => {
    expect((await look(camera.take(at(path)))).at(600, 400)).toBe(GREEN)
  })

  test('shows the window where the address scrolls to', async () => {
    const shown = await look(camera.take(at('/anchors#far')))
    expect([shown.height, shown.at(0, 0), shown.at(0, 719)]).toEqual([720, BLUE, BLUE])
    const full = await look(camera.take(at('/anchors#far'), { fullPage: true }))
    expect([full.height, full.at(0, 0), full.at(0, 2000)]).toEqual([4000, RED, BLUE])
  })
})

describe.concurrent('a page has settled when', () => {
  test('what appears when it is scrolled to is there', async () => {
    const shown = await look(camera.take(at('/observed'), { fullPage: true }))
    expect([shown.at(600, 5_250), shown.at(600, 100)]).toEqual([GREEN, RED])
  })

  test('its lazy pictures and frames are there, however far below', async () => {
    const shown = await look(camera.take(at('/lazy'), { fullPage: true }))
    expect([shown.at(50, 8050), shown.at(250, 8050), shown.at(50, 7950)]).toEqual([RED, GREEN, BLUE])
  })

  test('its fonts are there', async () => {
    const shown = await look(camera.take(at('/font')))
    expect(shown.at(200, 200)).toBe(RED)
  })

  test('what its scripts ask for, one after the other, is there', async () => {
    expect((await look(camera.take(at('/fetches')))).at(600, 400)).toBe(GREEN)
  })

  test('its movements are at their end', async () => {
    const shown = await look(camera.take(at('/moves')))
    expect([50, 150, 250].map((y) => shown.at(50, y))).toEqual([GREEN, GREEN, GREEN])
  })

  test('it has nothing more to do: nobody waits for a page that is ready', async () => {
    await camera.ready()
    expect((await look(camera.take(at('/green'), { loadingTime: FOREVER }))).at(600, 400)).toBe(GREEN)
  })
})

describe.concurrent('a page that', () => {
  test.each(['/dialogs', '/leaves'])('asks and asks (%s) is answered, and taken', async (path) => {
    expect((await look(camera.take(at(path)))).at(600, 400)).toBe(GREEN)
  })

  test('opens windows is the one that is taken', async () => {
    expect((await look(camera.take(at('/popups'), { loadingTime: 2_500 }))).at(600, 400)).toBe(GREEN)
    expect(count('/popup-lives')).toBe(0)
  })

  test('listens to events without end is taken as soon as it is there', async () => {
    expect((await look(camera.take(at('/streaming'), { loadingTime: FOREVER }))).at(600, 400)).toBe(GREEN)
  })

  test('starts downloads is taken without them', async () => {
    expect((await look(camera.take(at('/downloads'), { loadingTime: 3_000 }))).at(600, 700)).toBe(GREEN)
  })

  test('never finishes loading is taken when its time is over, with what is there', async () => {
    for (const path of ['/unfinished', '/half']) {
      const began = performance.now()
      const shown = await look(camera.take(at(path), { loadingTime: A_WHILE }))
      expect([path, shown.at(600, 400)]).toEqual([path, GREEN])
      expect(performance.now() - began).toBeGreaterThan(A_WHILE - 100)
    }
  })

  test.each(['/reloads', '/reloads-later', '/refreshes'])(
    '%s forever is taken all the same',
    async (path) => {
      expect((await look(camera.take(at(path), { loadingTime: A_WHILE }))).at(600, 400)).toBe(GREEN)
    },
  )

  test('is redirected ten times is taken where it ends', async () => {
    expect((await look(camera.take(at('/chain?1')))).at(600, 400)).toBe(GREEN)
  })
})

describe.concurrent('why there is no picture', () => {
  const failing = async (url: string, wanted: Parameters<TestCamera['take']>[1] = {}) => {
    const failure = await camera.take(url, wanted).then(
      () => ({ name: 'none', reason: undefined, message: '' }),
      (error) => error,
    )
    expect(failure.name).toBe('CaptureFailure')
    expect(failure.message).toMatch(/^\S.{10,200}$/)
    return failure.reason
  }

  test.each([
    ['/attachment', 'download'],
    ['/binary', 'download'],
    ['/loop', 'redirects'],
    ['/longer?0', 'redirects'],
    ['/to-private', 'blocked'],
    ['/to-dead-name', 'dns'],
  ])('%s: %s', async (path, reason) => {
    expect(await failing(at(path))).toBe(reason)
  })

  test('nothing ever comes: timeout', async () => {
    expect(await failing(at('/never'), { loadingTime: 1_000 })).toBe('timeout')
  })

  test.each([
    ['http://unknown.nowhere/', 'dns'],
    ['https://unknown.nowhere/', 'dns'],
    ['http://10.0.0.1/', 'blocked'],
    ['https://10.0.0.1/', 'blocked'],
    ['http://other.test/', 'blocked'],
    ['file:///etc/hostname', 'blocked'],
    ['chrome://version/', 'blocked'],
    ['view-source:http://site.test/', 'blocked'],
    ['data:text/html,hello', 'blocked'],
    ['about:blank', 'blocked'],
    ['javascript:1', 'blocked'],
    ['nothing', 'blocked'],
  ])('%s: %s', async (url, reason) => {
    expect(await failing(url)).toBe(reason)
  })

  test('nobody listens: refused', async () => {
    const port = await freePort()
    const own = openTestCamera({ allow: `site.test:${port}` })
    try {
      for (const scheme of ['http', 'https']) {
        await expect(own.take(`${scheme}://site.test:${port}/`)).rejects.toMatchObject({ reason: 'refused' })
      }
    } finally {
      await own.close()
    }
  })

  test('what it speaks is no TLS, or its certificate is its own: tls', async () => {
    const [key, cert] = await Promise.all(
      ['server.key', 'server.pem'].map((name) => readFile(join(ROOT, 'test/support/tls', name))),
    )
    const servers = [
      createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('garbage\r\n'))),
      createTlsServer({ key, cert }, (socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n')),
    ]
    for (const server of servers) {
      await once(server.on('tlsClientError', () => {}).listen(0, '127.0.0.1'), 'listening')
    }
    const ports = servers.map((server) => (server.address() as AddressInfo).port)
    const own = openTestCamera({ allow: ports.map((port) => `127.0.0.1:${port}`).join() })
    try {
      for (const port of ports) {
        await expect(own.take(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'tls' })
      }
    } finally {
      await own.close()
      for (const server of servers) server.close()
    }
  })

  test('it loads more than it may: too_large', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, limits: { pageBytes: 1_000_000 } })
    try {
      for (const path of ['/large', '/loads-large']) {
        const failure = await own.take(at(path), { loadingTime: FOREVER }).catch((error) => error)
        expect([path, failure.reason]).toEqual([path, 'too_large'])
      }
    } finally {
      await own.close()
    }
  })
})

describe('one job and the next', () => {
  test('share nothing: no cookie, no storage, no cache', async () => {
    const before = site.asked.filter((path) => path === '/cached.js').length
    for (const _ of [1, 2]) expect((await look(camera.take(at('/state')))).at(600, 400)).toBe(GREEN)
    expect(site.asked.filter((path) => path === '/cached.js').length - before).toBe(2)
  })

  test('wait for each other where as many as may be are under way', async () => {
    const own = openOwnCamera({ concurrency: 2 })
    const shots = Array.from({ length: 7 }, () => own.take(at('/slow-green')))
    await Promise.all(shots)
    expect([own.mostGates(), own.gates.size]).toEqual([2, 0])
  })

  test('use one browser', async () => {
    const own = openOwnCamera()
    const before = findBrowsers()
    await Promise.all([1, 2, 3].map(() => own.take(at('/green'))))
    expect(findBrowsers().length - before.length).toBe(1)
  })

  test('that is called off ends soon, also while it waits, and the browser stays', async () => {
    const own = openOwnCamera({ concurrency: 1 })
    await own.take(at('/green'))
    const [browser] = findBrowsers().slice(-1)
    const first = new AbortController()
    const second = new AbortController()
    const reason = new Error('called off')
    const waiting = count('/never')
    const shots = [first, second].map(({ signal }) =>
      own.take(at('/unfinished'), { loadingTime: FOREVER }, signal),
    )
    const ended = Promise.allSettled(shots)
    await until(() => count('/never') > waiting, 'the page asks')
    second.abort(reason)
    first.abort(reason)
    expect(await ended).toEqual([1, 2].map(() => ({ status: 'rejected', reason })))
    await expect(own.take(at('/green'), {}, first.signal)).rejects.toBe(reason)
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
    expect(findBrowsers()).toContain(browser)
  })
})

const count = (path: string) => site.asked.filter((asked) => asked === path).length

describe('a browser that', () => {
  /** A camera of its own, with a page under way that will not end. */
  async function whileShooting(rules: CameraRules = {}) {
    const before = new Set(findBrowsers())
    const own = openOwnCamera(rules)
    const asked = count('/never')
    const shot = own.take(at('/unfinished'), { loadingTime: FOREVER }).then(
      () => 'taken',
      (error) => error,
    )
    await until(() => count('/never') > asked, 'the page asks')
    const browser = findBrowsers().find((pid) => !before.has(pid)) ?? Number.NaN
    return { own, shot, browser }
  }

  test('is kept busy by a page is free again: timeout, within the deadline', async () => {
    const busy = await serveSite({
      '/': paint(GREEN, '<script>for (;;) {}</script>'),
      '/green': paint(GREEN),
    })
    onTestFinished(() => busy.close())
    const before = new Set(findBrowsers())
    const own = openOwnCamera({ allow: `busy.test:${busy.port}`, graceMs: 1_500 })
    await own.take(`http://busy.test:${busy.port}/green`)
    const browser = findBrowsers().find((pid) => !before.has(pid)) ?? Number.NaN
    // The page never lets go of it: without the deadline this would hang.
    await expect(own.take(`http://busy.test:${busy.port}/`, { loadingTime: 500 })).rejects.toMatchObject({
      ...{ name: 'CaptureFailure', reason: 'timeout' },
    })
    // What it still does would be done forever.
    const ticks = () =>
      processesOf(browser)
        .filter(({ type }) => type === 'renderer')
        .map(({ pid }) => pid)
    await until(() => ticks().every((pid) => !isBusy(pid)), 'no renderer is busy')
    expect((await look(own.take(`http://busy.test:${busy.port}/green`))).at(0, 0)).toBe(GREEN)
  })

  test('is kept busy by a page does not wait for it: timeout, as soon as its loading time is over', async () => {
    const busy = await serveSite({
      '/': paint(GREEN, '<script>setTimeout(() => { for (;;) {} }, 100)</script>'),
    })
    onTestFinished(() => busy.close())
    // Without being asked for a sign of life, it would hold its place for as long as that.
    const own = openOwnCamera({ allow: `busy.test:${busy.port}`, graceMs: FOREVER, answerMs: 500 })
    const shot = own.take(`http://busy.test:${busy.port}/`, { loadingTime: 500 })
    await expect(shot).rejects.toMatchObject({
      ...{ name: 'CaptureFailure', reason: 'timeout' },
      message: expect.stringContaining('did not answer for 500 ms'),
    })
  })

  test('loses the process of a page has crashed, and goes on', async () => {
    const { own, shot, browser } = await whileShooting()
    const renderers = processesOf(browser).filter(({ type }) => type === 'renderer')
    expect(renderers.length).toBeGreaterThan(0)
    for (const { pid } of renderers) process.kill(pid, 'SIGKILL')
    expect(await shot).toMatchObject({ name: 'CaptureFailure', reason: 'crashed' })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('is killed has crashed; another one takes the next page, and nothing is left of the first', async () => {
    const { own, shot, browser } = await whileShooting()
    process.kill(browser, 'SIGKILL')
    expect(await shot).toMatchObject({ name: 'CaptureFailure', reason: 'crashed' })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
    const others = findBrowsers()
    expect(others).not.toContain(browser)
    await until(() => profilesOf().length === others.length, 'one profile for each browser')
  })

  test('stops answering is ended with the camera', async () => {
    const { own, shot, browser } = await whileShooting()
    process.kill(-browser, 'SIGSTOP')
    await own.close()
    await shot
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
    expect(own.gates.size).toBe(0)
  })

  test('is started by a script, and stops answering, is killed whole: the script and what it started', async () => {
    const found = await findTestBrowser()
    const path = join(await makeFolder(), 'browser')
    // As Debian's does, and with one line more, so that it is not seen through.
    await writeFile(path, `#!/bin/sh\nA=1\n"${found.path}" "$@"\n`, { mode: 0o755 })
    const { own, shot, browser } = await whileShooting({ find: async () => ({ ...found, path }) })
    expect(processesOf(browser).filter(({ type }) => type === 'browser')).toHaveLength(2)
    process.kill(-browser, 'SIGSTOP')
    await own.close()
    await shot
    await until(() => processesOf(browser).length === 0, 'its processes are gone')
  })

  test('is closed in the middle leaves no process, no zombie, no profile and no gate', async () => {
    const profiles = profilesOf().length
    const { own, shot, browser } = await whileShooting({ concurrency: 2 })
    const others = [1, 2, 3].map(() =>
      own.take(at('/unfinished'), { loadingTime: FOREVER }).catch(() => 'ended'),
    )
    await own.close()
    // Killed is not yet gone, and those whose parent is gone are for the first process of the machine to wait for.
    await until(() => processesOf(browser).length === 0, 'nothing is left')
    expect(profilesOf().length).toBe(profiles)
    await shot
    expect(await Promise.all(others)).toEqual(['ended', 'ended', 'ended'])
    await expect(own.take(at('/green'))).rejects.toThrow('closed')
    await sleep(300)
    expect([own.gates.size, profilesOf().length]).toEqual([0, profiles])
  })

  test('is closed while it starts leaves nothing either', async () => {
    const profiles = profilesOf().length
    const browsers = findBrowsers().length
    const own = openOwnCamera()
    const shot = own.take(at('/green')).catch(() => 'ended')
    await until(() => profilesOf().length > profiles, 'its profile is there')
    await own.close()
    expect(await shot).toBe('ended')
    expect([profilesOf().length, findBrowsers().length]).toEqual([profiles, browsers])
  })

  test('loses the process it belongs to ends, and its profile is swept by the next', async () => {
    const parent = run(`
      const own = openTestCamera({ allow: 'site.test:${site.port}' })
      own.take('${at('/unfinished')}', { loadingTime: ${FOREVER} })`)
    const asked = count('/never')
    await Promise.race([
      until(() => count('/never') > asked, 'the page asks'),
      parent.ended.then(() => Promise.reject(new Error(parent.stderr()))),
    ])
    const [browser = Number.NaN] = findBrowsers(parent.pid)
    expect([processesOf(browser).length > 1, profilesOf(parent.pid).length]).toEqual([true, 1])
    parent.child.kill('SIGKILL')
    await parent.ended
    await until(() => processesOf(browser).every(({ zombie }) => zombie), 'its processes are gone')
    expect(profilesOf(parent.pid)).toHaveLength(1)
    await openOwnCamera().ready()
    expect(profilesOf(parent.pid)).toEqual([])
    // Those of the living stay.
    expect((await look(camera.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('starts beside another does not take its folder', async () => {
    const before = process.env['TMPDIR']
    const cameras = [1, 2, 3].map(() => openOwnCamera())
    const shots = await Promise.all(cameras.map((own) => own.take(at('/green'))))
    expect(shots).toHaveLength(3)
    expect(process.env['TMPDIR']).toBe(before)
  })
})

/** Whether it uses the processor right now. */
function isBusy(pid: number): boolean {
  const used = () => processorTime(pid)
  const before = used()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  return used() - before > 5
}

function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

/** A process of its own that has the camera of these tests. */
function run(script: string, env: Record<string, string> = {}): RunningProcess {
  const support = new URL('../support/camera.ts', import.meta.url)
  const code = `import { openTestCamera } from '${support}'\n${script}`
  return start(process.execPath, ['--input-type=module', '-e', code], { env: { ...BROWSER_ENV, ...env } })
}

describe('without a browser', () => {
  const broken = async (path: string): Promise<FoundBrowser> => {
    for await (const found of findAllBrowsers({ chromiumPath: path, dataDir: '/nowhere', env: {} }))
      return found
    throw new Error(`${path} is no program`)
  }

  test.each([
    ['/bin/true', /\/bin\/true does not start/],
    ['/bin/false', /\/bin\/false does not start/],
  ])('CHROMIUM_PATH=%s says so at once', async (path, words) => {
    const profiles = profilesOf()
    const own = openOwnCamera({ find: () => broken(path) })
    const error = await own.ready().catch((error) => error)
    expect(error).toMatchObject({ name: 'AppError', code: 'no_browser' })
    expect(error.message).toMatch(words)
    expect(error.message).toMatch(/^.{20,300}$/)
    await expect(own.take(at('/green'))).rejects.toMatchObject({ code: 'no_browser' })
    expect(profilesOf()).toEqual(profiles)
  })

  test('one that does not start does not keep the next from starting', async () => {
    const own = openOwnCamera({ find: async () => [await broken('/bin/false'), await findTestBrowser()] })
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })

  test('one that comes later is found', async () => {
    let there = false
    const own = openOwnCamera({ find: () => (there ? findTestBrowser() : broken('/bin/false')) })
    await expect(own.ready()).rejects.toMatchObject({ code: 'no_browser' })
    there = true
    expect((await look(own.take(at('/green')))).at(0, 0)).toBe(GREEN)
  })
})
