// @module-tag browser

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { COOKIES_STAY, launchBrowser } from '../../src/camera/launch.ts'
import { sendToOwnOrigin } from '../../src/camera/own-origin.ts'
import { findTestBrowser } from '../support/browser/test-browser.ts'
import { findBrowsers, HTML, openTestCamera, paint, type TestCamera } from '../support/camera/camera.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'

// Two ports and two names are four origins. Each records its requests, and which of our values they have.

const HEADERS = { 'X-Mark': 'header-value', authorization: 'Bearer abc' }
const COOKIES = [
  { name: 'session', value: 'cookie-value' },
  { name: 'consent', value: 'none' },
]

const SLIDING = 'session=cookie-value; Domain=own.test; Path=/; HttpOnly'
/** Only of a trustworthy host, such as 127.0.0.1, over http. */
const PARTITIONED = 'session=cookie-value; Path=/; HttpOnly; Secure; SameSite=None; Partitioned'
const SHARED = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'x-own' }

interface Asked {
  readonly method: string | undefined
  readonly origin: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const asked: Asked[] = []
const ports: number[] = []
let camera: TestCamera
let close: () => Promise<unknown>

const own = () => `http://own.test:${ports[0]}`
const otherPort = () => `http://own.test:${ports[1]}`
const otherName = () => `http://other.test:${ports[0]}`
const to = (from: string, target: string, status = 302) =>
  `${from}?status=${status}&to=${encodeURIComponent(target)}`

const byWayOf = () => to(`http://127.0.0.1:${ports[0]}/away`, `http://127.0.0.1:${ports[1]}/returns`)

const pages: Record<string, () => string> = {
  '/page': () =>
    paint(
      '#ffffff',
      `<img src=/image><img src=${otherPort()}/image><img src=${otherName()}/image>
      <img src="${to('/away', to(`${otherName()}/and-back`, `${own()}/returned`))}">
      <img src="${to('/to-port', `${otherPort()}/redirected`)}">
      <iframe src=/frame></iframe><iframe src=${otherPort()}/frame></iframe><iframe src=${otherName()}/frame></iframe>
      <iframe name=target></iframe>
      <form id=form method=post target=target action="${to('/post', `${otherName()}/posted`, 307)}"><input name=a value=b></form>
      <script>
        form.submit()
        fetch('/fetch')
        for (const other of ['${otherPort()}', '${otherName()}']) {
          fetch(other + '/fetch', { credentials: 'include', mode: 'no-cors' })
          new WebSocket(other.replace('http', 'ws') + '/socket')
        }
        new WebSocket('${own().replace('http', 'ws')}/socket')
        new Worker('/worker.js')
        fetch('/cached').then((answer) => answer.text()).then(() => fetch('/cached'))
        document.title = document.cookie
      </script>`,
    ),
  '/worker.js': () => `fetch('/by-worker'); fetch('${otherName()}/by-worker', { mode: 'no-cors' })`,
  '/together.js': () => `importScripts('${own()}/not-by-shared-worker.js')`,
  '/page-of-once': () =>
    `<img src=/image><iframe src=/frame></iframe><script>
      const look = setInterval(() => document.cookie && (clearInterval(look), fetch('/by-cookies')), 50)</script>`,
  // Requests to our own origin by its own documents, in any frame, and by others.
  '/frames': () =>
    paint(
      '#ffffff',
      `<iframe srcdoc="<img src=/by-own-srcdoc><iframe src=/own-in-own></iframe>"></iframe>
      <iframe sandbox src=/own-sandboxed></iframe>
      <iframe sandbox=allow-scripts srcdoc="<script>fetch('${own()}/shared-by-sandbox')</script>
        <iframe src=${own()}/not-in-sandbox></iframe>"></iframe>
      <iframe src="data:text/html,<img src=${own()}/not-by-data>"></iframe>
      <iframe src="${to('/own-away', to(`${otherName()}/and-back`, `${own()}/not-after-redirect`))}"></iframe>
      ${[otherPort(), otherName()].map((origin) => `<iframe src=${origin}/hostile></iframe>`)}
      <script>
        const frame = document.body.appendChild(document.createElement('iframe'))
        frame.contentDocument.body.innerHTML = '<img src=/by-own-blank>'
        // What they have asked for has been sent by then.
        onload = () => { for (let n = 0; n < frames.length; n++) frames[n].postMessage('', '*') }
      </script>`,
    ),
  '/hostile': () => `<img src=${own()}/not-by-frame>
    <iframe src=${own()}/not-in-frame></iframe><iframe srcdoc="<img src=${own()}/not-in-its-srcdoc>"></iframe>
    <script>
      const asked = fetch('${own()}/shared-by-frame', { credentials: 'include' }).catch(() => {})
      if (self.SharedWorker) new SharedWorker('/together.js')
      new WebSocket('${own().replace('http', 'ws')}/socket-by-frame')
      onmessage = () => asked.then(() => { location = '${own()}/not-by-moving' })
    </script>`,
  '/not-in-frame': () => '<img src=/not-by-embedded>',
  // Browsers do not pause what such a page asks for in a socket, a shared worker or ahead of time.
  '/between': () => `<script>
    new WebSocket('${own().replace('http', 'ws')}/socket-between')
    setTimeout(() => { location = '${own()}/not-this-page' }, 500)</script>`,
  // The browser prefetches only from secure contexts, such as this address.
  '/prefetches': () => `<script type=speculationrules>
      {"prefetch":[{"source":"list","urls":["${byWayOf()}"],"eagerness":"immediate"}]}</script>
    <script>setTimeout(() => { location = '${byWayOf()}' }, 1000)</script>`,
  '/returns': () => `<script>location = 'http://127.0.0.1:${ports[0]}/not-this-page'</script>`,
  // A little less than MAX_PAGE_BYTES.
  '/heavy': () => `<!--${'x'.repeat(985_000)}-->`,
  // A frame of the same host can add cookies to the requests of the page.
  '/stuffed': () =>
    `<iframe src=${otherPort()}/stuffs></iframe><script>onmessage = () => {
      document.body.insertAdjacentHTML('beforeend', '<img src=/after-stuffing>') }</script>`,
  '/stuffs': () =>
    `<script>for (const name of 'abcd') document.cookie = name + '=' + 'x'.repeat(3000)
      parent.postMessage('', '*')</script>`,
  '/leaves': () => `<script>location = '${otherName()}/sends-back'</script>`,
  '/meets-a-namesake': () => `<script>location = '${otherName()}/namesake'</script>`,
  '/namesake': () => `<script>location = '/has-its-own'</script>`,
  '/slides': () => `<script>location = '${otherName()}/sends-back'</script>`,
  '/partitions': () => `<script>location = '${otherName()}/sends-to-address'</script>`,
  '/sends-to-address': () => `<script>location = 'http://127.0.0.1:${ports[0]}/not-this-page'</script>`,
  '/sends-back': () => `<script>location = '${own()}/not-this-page'</script>`,
  '/not-this-page': () => '<img src=/not-this-image>',
  '/frame': () => `<img src=${own()}/from-frame>
    <script>fetch('${own()}/shared', { headers: { 'x-own': '1' } }).then((answer) => answer.text())</script>`,
}

beforeAll(async () => {
  const servers = [createServer(), createServer()]
  for (const server of servers) {
    const record = async (request: IncomingMessage) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString()
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://site')
      asked.push({
        ...{ origin: `http://${request.headers.host}`, path: pathname },
        ...{ method: request.method, headers: request.headers, body },
      })
      return { pathname, searchParams }
    }
    server.on('upgrade', async (request, socket) => {
      const { pathname } = new URL(request.url ?? '', 'http://site')
      asked.push({
        ...{ origin: `http://${request.headers.host}`, path: pathname },
        ...{ method: request.method, headers: request.headers, body: '' },
      })
      socket.destroy()
    })
    server.on('request', async (request, answer) => {
      const { pathname, searchParams } = await record(request)
      const isAgain = pathname.startsWith('/once') && asked.filter(({ path }) => path === pathname).length > 1
      if (isAgain && pathname === '/once-it-waits')
        await vi.waitUntil(() => countOf('/socket-between') > 5, PATIENCE_MS)
      const target = isAgain ? null : searchParams.get('to')
      if (target) answer.writeHead(Number(searchParams.get('status')), { location: target }).end()
      else if (pathname.endsWith('.js')) answer.writeHead(200, { 'content-type': 'text/javascript' })
      else if (pathname === '/slides') answer.writeHead(200, { ...HTML, 'set-cookie': SLIDING })
      else if (pathname === '/partitions') answer.writeHead(200, { ...HTML, 'set-cookie': PARTITIONED })
      else if (pathname === '/namesake')
        answer.writeHead(200, { ...HTML, 'set-cookie': 'session=theirs; Path=/' })
      else if (pathname === '/cached') answer.writeHead(200, { 'cache-control': 'max-age=600' })
      // The preflight that the browser sends before `x-own` from another origin. Our own headers are allowed nowhere.
      else if (pathname.startsWith('/shared')) answer.writeHead(200, SHARED)
      else answer.writeHead(200, HTML)
      if (!target) answer.end(pages[isAgain ? '/page-of-once' : pathname]?.() ?? '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports.push((server.address() as AddressInfo).port)
  }
  const hosts = ['own.test', 'other.test', '127.0.0.1'].flatMap((name) =>
    ports.map((port) => `${name}:${port}`),
  )
  camera = openTestCamera({ allow: hosts.join(',') })
  close = async () => {
    await camera.close()
    for (const server of servers) server.closeAllConnections()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
})
afterAll(() => close())

const countOf = (wanted: string) => asked.filter(({ path }) => path === wanted).length
const askedOf = (origin: string) => asked.filter((each) => each.origin === origin)
const pathsOf = (all: readonly Asked[]) => [...new Set(all.map(({ path }) => path))].sort()
const textOf = (all: readonly Asked[]) => JSON.stringify(all)
const SECRETS = /header-value|Bearer abc|cookie-value|consent/

describe('headers and cookies', () => {
  test('go to the origin of the page, with every kind of request, and to no other origin', async () => {
    asked.length = 0
    const { seen } = await camera.take(`${own()}/page`, { headers: HEADERS, cookies: COOKIES })
    // Scripts see the cookies.
    expect(seen.title).toBe('session=cookie-value; consent=none')

    const ours = askedOf(own())
    expect(pathsOf(ours)).toEqual(
      [
        '/away',
        '/by-worker',
        '/cached',
        '/fetch',
        '/frame',
        '/from-frame',
        '/image',
        '/page',
        '/post',
      ].concat(...['/shared', '/socket', '/to-port', '/worker.js']),
    )
    // The browser itself sends preflight requests: OPTIONS.
    const fromFrames = ours.filter(({ path }) => /from-frame|shared/.test(path))
    const byThePage = ours.filter((each) => !fromFrames.includes(each))
    const requests = byThePage.filter(({ path, method }) => path !== '/socket' && method !== 'OPTIONS')
    expect(requests.map(({ headers }) => [headers['x-mark'], headers.authorization])).toEqual(
      requests.map(() => ['header-value', 'Bearer abc']),
    )
    expect(byThePage.map(({ headers }) => headers.cookie)).toEqual(
      byThePage.map(() => 'session=cookie-value; consent=none'),
    )
    // One of the frames is our own.
    expect(
      fromFrames.filter(({ headers }) => headers['x-mark'] === 'header-value').map(({ path }) => path),
    ).toEqual(expect.arrayContaining(['/from-frame', '/shared']))
    expect(fromFrames.filter(({ headers }) => headers['x-mark'] === 'header-value')).toHaveLength(2)
    expect(fromFrames.filter(({ headers }) => headers.cookie !== undefined)).toHaveLength(2)
    expect(fromFrames.filter(({ headers }) => headers['x-own'] === '1')).toHaveLength(3)
    expect(ours.filter(({ path }) => path === '/cached')).toHaveLength(1)
    expect(ours.find(({ path }) => path === '/post')?.body).toBe('a=b')

    const others = [...askedOf(otherPort()), ...askedOf(otherName())]
    expect(pathsOf(askedOf(otherPort()))).toEqual(['/fetch', '/frame', '/image', '/redirected', '/socket'])
    expect(pathsOf(askedOf(otherName()))).toEqual(
      ['/and-back', '/by-worker', '/fetch', '/frame', '/image', '/posted', '/socket'].sort(),
    )
    expect(textOf(others)).not.toMatch(SECRETS)
  })

  test('go with requests of documents of their origin, in all frames, and with no other requests', async () => {
    for (const given of [
      { headers: HEADERS, cookies: COOKIES },
      { headers: HEADERS },
      { cookies: COOKIES },
    ]) {
      asked.length = 0
      await camera.take(`${own()}/frames`, given)
      // Sockets cannot be paused: a frame of the same site sends the cookies with them.
      const ours = askedOf(own()).filter(({ path, method }) => !/socket/.test(path) && method !== 'OPTIONS')
      const have = ours.filter((each) => SECRETS.test(textOf([each])))
      expect(pathsOf(have)).toEqual([
        ...['/by-own-blank', '/by-own-srcdoc', '/frames', '/own-away', '/own-in-own', '/own-sandboxed'],
      ])
      const others = pathsOf(ours.filter((each) => !have.includes(each)))
      expect(others).toEqual(
        expect.arrayContaining(['/not-by-embedded', '/not-by-frame', '/not-in-frame', '/shared-by-frame']),
      )
    }
  })

  test('go with few other cookies: a frame cannot find out what makes a request too long for the server', async () => {
    asked.length = 0
    await camera.take(`${own()}/stuffed`, { headers: HEADERS })
    const [after] = asked.filter(({ path }) => path === '/after-stuffing')
    expect(after?.headers['x-mark']).toBe('header-value')
    expect(after?.headers.cookie).toBe(`a=${'x'.repeat(3_000)}`)
  })

  test('are sent by a page whose limit of bytes nobody knows exactly', async () => {
    const strict = openTestCamera({ allow: `own.test:${ports[0]}`, limits: { pageBytes: 1_000_000 } })
    onTestFinished(() => strict.close())
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.999)
    onTestFinished(() => random.mockRestore())
    await strict.take(`${own()}/heavy`, {})
    await expect(strict.take(`${own()}/heavy`, { headers: HEADERS })).rejects.toMatchObject({
      reason: 'too_large',
    })
  })

  test('do not follow a redirect to another origin', async () => {
    asked.length = 0
    await camera.take(to(`${own()}/away`, `${otherName()}/page`), { headers: HEADERS, cookies: COOKIES })
    expect(askedOf(otherName()).length).toBeGreaterThan(1)
    expect(textOf([...askedOf(otherName()), ...askedOf(otherPort())])).not.toMatch(SECRETS)
  })

  test.each([
    ['redirects', () => to(`${own()}/away`, to(`${otherPort()}/and-back`, `${own()}/not-this-page`))],
    ['scripts', () => `${own()}/leaves`],
    ['scripts, after the server has set a cookie again, for all subdomains', () => `${own()}/slides`],
    [
      'scripts, after the server has set a cookie again, partitioned',
      () => `http://127.0.0.1:${ports[0]}/partitions`,
    ],
  ])('do not go to a page that another origin chose: %s', async (_, url) => {
    asked.length = 0
    const { origin, pathname } = new URL(url())
    const { seen } = await camera.take(url(), { headers: HEADERS, cookies: COOKIES })
    expect(seen.url).toBe(`${origin}/`)
    const have = asked.filter((each) => SECRETS.test(textOf([each])))
    expect(have.map(({ path }) => path)).toEqual([pathname])
    expect(pathsOf(askedOf(origin))).toContain('/not-this-image')
  })

  test('do not cost another site its cookies of the same name', async () => {
    asked.length = 0
    await camera.take(`${own()}/meets-a-namesake`, { cookies: COOKIES, delay: 500 })
    const [again] = asked.filter(({ path }) => path === '/has-its-own')
    expect(again?.headers.cookie).toBe('session=theirs')
  })

  test('are gone while a page of another port is shown on the way', async () => {
    asked.length = 0
    const { seen } = await camera.take(to(`${own()}/away`, `${otherPort()}/between`), { cookies: COOKIES })
    expect(seen.url).toBe(`${own()}/`)
    expect(pathsOf(asked.filter((each) => SECRETS.test(textOf([each]))))).toEqual(['/away'])
    expect(pathsOf(askedOf(own()))).toContain('/socket-between')
  })

  test('are not in the browser before the page is shown that a page of another port leads back to', async () => {
    asked.length = 0
    const url = `${own()}/once-it-waits?status=302&to=${encodeURIComponent(`${otherPort()}/asks-meanwhile`)}`
    pages['/asks-meanwhile'] = () => `<script>
      location = '${url}'
      setInterval(() => new WebSocket('${own().replace('http', 'ws')}/socket-between'), 50)</script>`
    await camera.take(url, { cookies: COOKIES, delay: 500 })
    expect(pathsOf(asked.filter((each) => SECRETS.test(textOf([each]))))).toEqual([
      ...['/by-cookies', '/frame', '/from-frame', '/image', '/once-it-waits', '/shared'],
    ])
  })

  test('do not go to a page that another origin chose: one that the browser fetched ahead of time', async () => {
    asked.length = 0
    const url = `http://127.0.0.1:${ports[0]}/prefetches`
    const { seen } = await camera.take(url, { headers: HEADERS, cookies: COOKIES, delay: 2_000 })
    expect(seen.url).toBe(`http://127.0.0.1:${ports[0]}/`)
    expect(asked.map(({ headers }) => headers['sec-purpose'])).toContain('prefetch')
    const mine = asked.filter(({ path }) => /not-this/.test(path))
    expect(pathsOf(mine)).toEqual(['/not-this-image', '/not-this-page'])
    expect(textOf(mine)).not.toMatch(SECRETS)
  })

  test('go to the URL of the page even if another origin led there, and with its requests', async () => {
    asked.length = 0
    // The second request is not redirected.
    const url = `${own()}/once?status=302&to=${encodeURIComponent(`${otherName()}/sends-to-once`)}`
    pages['/sends-to-once'] = () => `<script>location = '${url}'</script>`
    const { seen } = await camera.take(url, { headers: HEADERS, cookies: COOKIES, delay: 1_000 })
    expect(seen).toMatchObject({ url: `${own()}/` })
    const ours = askedOf(own()).filter(({ path, method }) => path !== '/shared' && method !== 'OPTIONS')
    expect(pathsOf(ours)).toEqual(['/by-cookies', '/frame', '/from-frame', '/image', '/once'])
    expect(ours.map(({ headers }) => [headers['x-mark'], headers.cookie])).toEqual(
      ours.map(() => ['header-value', 'session=cookie-value; consent=none']),
    )
    expect(textOf([...askedOf(otherName()), ...askedOf(otherPort())])).not.toMatch(SECRETS)
  })

  test('replace a header of the browser, and leave its others unchanged', async () => {
    asked.length = 0
    await camera.take(`${own()}/image`, {})
    await camera.take(`${own()}/image`, { headers: { 'X-Mark': 'a', 'User-Agent': 'Mine/1.0' } })
    const [before, after] = asked.map(({ headers }) => headers)
    expect(after).toEqual({ ...before, 'x-mark': 'a', 'user-agent': 'Mine/1.0' })
  })

  test('end with their page', async () => {
    asked.length = 0
    await camera.take(`${own()}/image`, { headers: HEADERS, cookies: COOKIES })
    await camera.take(`${own()}/image`, {})
    await camera.take(`${own()}/image`, { cookies: [{ name: 'a', value: 'b' }] })
    expect(asked.map(({ headers }) => [headers['x-mark'], headers.cookie])).toEqual([
      ['header-value', 'session=cookie-value; consent=none'],
      [undefined, undefined],
      [undefined, 'a=b'],
    ])
  })

  test('are also sent if the URL has a user name', async () => {
    asked.length = 0
    await camera.take(`${own().replace('//', '//user:password@')}/image`, {
      headers: HEADERS,
      cookies: COOKIES,
    })
    expect(asked.map(({ headers }) => [headers['x-mark'], headers.cookie])).toEqual([
      ['header-value', 'session=cookie-value; consent=none'],
    ])
  })

  test('do not appear in a failure', async () => {
    const taken = camera.take('http://dead.nowhere/', { headers: HEADERS, cookies: COOKIES })
    const failure = await taken.catch((error: Error) => error)
    expect(`${failure} ${(failure as Error).stack} ${JSON.stringify(failure)}`).not.toMatch(SECRETS)
  })
})

test('cookies do not change how the picture of a page looks', async () => {
  const plain = await camera.take(`${own()}/page`)
  const given = await camera.take(`${own()}/page`, { cookies: COOKIES })
  expect(given.bytes.equals(plain.bytes)).toBe(true)
})

test('their pages have no shared workers, whose requests nobody sees', async () => {
  pages['/workers'] = () => '<script>document.title = typeof SharedWorker</script>'
  const titleOf = async (given: object) => (await camera.take(`${own()}/workers`, given)).seen.title
  expect(await titleOf({})).toBe('function')
  for (const given of [{ headers: HEADERS }, { cookies: COOKIES }])
    expect(await titleOf(given)).toBe('undefined')
})

test('their browser has the features of the other one, and four more', () => {
  const all = findBrowsers()
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
    .map((all) => all.findLast((argument) => argument.startsWith('--enable-features=')) ?? '')
    .map((argument) => argument.replace(/^.*=/, '').split(','))
    .sort((one, other) => one.length - other.length)
  const more = [
    ...['SplitCacheByNetworkIsolationKey', 'StrictOriginIsolation'],
    ...['EnablePortBoundCookies', 'EnableSchemeBoundCookies'],
  ]
  expect(new Set(all.at(-1))).toEqual(new Set([...(all[0] ?? []), ...more]))
})

test('cookies of an https page are sent by https only, and only to its port', async () => {
  const { browser, close } = await launchBrowser(await findTestBrowser(), COOKIES_STAY)
  onTestFinished(close)
  const page = await browser.newPage()
  const options = { width: 100, height: 100, fullPage: false, cookies: COOKIES }
  await sendToOwnOrigin(page, { url: 'https://own.test:8443/a/b', loadingTime: 1_000, options })
  const { cookies } = await (await page.context().newCDPSession(page)).send('Network.getAllCookies')
  const place = { domain: 'own.test', path: '/', secure: true, sourceScheme: 'Secure', sourcePort: 8_443 }
  expect(cookies).toMatchObject(COOKIES.map((cookie) => ({ ...cookie, ...place })))
})
