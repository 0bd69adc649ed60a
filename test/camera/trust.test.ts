// @module-tag browser

import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type Handler,
  HTML,
  openTestCamera,
  paint,
  readPixels,
  serveSite,
  type Wanted,
} from '../support/camera/camera.ts'
import { loginWith } from '../support/camera/login-attacks.ts'
import { useServer } from '../support/servers/use-servers.ts'

// What frames of other sites, and sites on the way, get a page with secrets to do.

const [USER, PASSWORD] = ['ada-9f31', 'secret 9f31/+é']
const LOGIN = { loginParameter: loginWith(USER, PASSWORD), loadingTime: 20_000 }
const HEADERS = { headers: { 'x-mark': 'header-9f31' } }
const COOKIES = { cookies: [{ name: 'session', value: 'cookie-9f31' }] }

interface Asked {
  readonly origin: string
  readonly path: string
  readonly query: string
  readonly text: string
}
const asked: Asked[] = []
afterEach(() => void asked.splice(0))

const site = useServer(() => serveSite({ '*': record }))
/** Another port of the same hosts. */
const port = useServer(() => serveSite({ '*': record }))
const camera = useServer(async () => {
  const hosts = ['own', 'sub.own', 'sso', 'other'].map((name) => `${name}.test:${site.port}`)
  return openTestCamera({ allow: [...hosts, `own.test:${port.port}`].join(',') })
})
const own = (path: string) => `http://own.test:${site.port}${path}`
const other = (path: string) => `http://other.test:${site.port}${path}`
const frame = (path: string) => `<iframe src="${other(path)}"></iframe>`
const redirect =
  (location: () => string, more: object = {}): Handler =>
  (answer) =>
    void answer.writeHead(302, { location: location(), ...more }).end()
const form = (more = '') =>
  `<form method=post action=/in><input id=user name=user><input id=password name=password type=password>
    <button id=login>Log in</button></form>${more}`
const later = (script: string) => `<script>setTimeout(() => { ${script} }, 300)</script>`
const frameOfOwn = () => `'<iframe src="${own('/search?q=moved')}"></iframe>'`
/** Shows `#all` when all of these were asked for. */
const whenAsked = (...paths: readonly string[]) => `<script>
  const look = setInterval(async () => {
    const answer = await fetch('/asked?${paths.join('&')}')
    if ((await answer.text()) !== 'all') return
    clearInterval(look)
    document.body.insertAdjacentHTML('beforeend', '<p id=all>All</p>')
  }, 100)</script>`
/** What a frame does next comes soon. */
const ALL = { waitFor: '#all', delay: 1_000 }
/** A frame that is far below the window, and comes into it by all means. */
const farBelow = (path: string) => `<div style="height:1500px"></div>${frame(path)}<div style="height:1500px"></div>`
const NO_REFERRER = '<meta name=referrer content=no-referrer>'

const pages: Record<string, string | ((query: URLSearchParams) => string | Handler)> = {
  // What another site asks for in a frame.
  'other.test/location': () => later(`top.location = '${own('/moved')}'`),
  'other.test/quietly': () => NO_REFERRER + later(`top.location = '${own('/moved')}'`),
  'other.test/opens': () => NO_REFERRER + later(`window.open('${own('/moved')}', '_top')`),
  'other.test/link': () =>
    `${NO_REFERRER}<a id=a target=_top href="${own('/moved')}">a</a>${later('a.click()')}`,
  'other.test/form': () =>
    `<form id=f method=post target=_top action="${own('/moved')}"><input name=a></form>${later('f.submit()')}`,
  'other.test/reloads': () => later(`top.location = '${own('/page')}'`),
  'other.test/again': () => `${NO_REFERRER}${later(`location = '${other('/quietly')}'`)}`,
  'other.test/nested': () => frame('/quietly'),
  'other.test/scripted': () =>
    `${later(`top.location = 'javascript:document.title = 1'`)}${later(`top.location = '${own('/moved')}'`)}`,
  'other.test/through-own': () => `<iframe src="${own('/leads-the-page')}"></iframe>`,
  'own.test/leads-the-page': () => later(`top.location = '/moved'`),
  'other.test/back-to-own': () => redirect(() => own('/leads-the-page')),
  // Frames of home in processes of their own.
  'own.test/embeds': () =>
    `<iframe src="http://sso.test:${site.port}/widget"></iframe>${whenAsked('/quietly')}`,
  'sso.test/widget': () => frame('/quietly'),
  'own.test/sandboxes': () =>
    `<iframe src=/widget sandbox="allow-scripts allow-top-navigation"></iframe>${whenAsked('/quietly')}`,
  'own.test/widget': () => frame('/quietly'),
  // Own pages that do not want to be in a frame.
  'own.test/search': () => '<script>if (top !== self) top.location = self.location</script>',
  'other.test/moves-to-own': () => later(`location = '${own('/search?q=moved')}'`),
  'other.test/by-blob': () =>
    later(`location = URL.createObjectURL(new Blob([${frameOfOwn()}], { type: 'text/html' }))`),
  'other.test/by-data': () => later(`location = 'data:text/html,' + encodeURIComponent(${frameOfOwn()})`),
  'other.test/by-blank': () =>
    later(
      `document.body.appendChild(document.createElement('iframe')).contentDocument.body.innerHTML = ${frameOfOwn()}`,
    ),
  'other.test/posts': () =>
    `${NO_REFERRER}<form id=f method=post target=_top action="${own('/announced')}"><input name=a></form>${later('f.submit()')}`,
  'own.test/announces': () => `<script>location = '/announced'</script>`,
  'own.test/announced': () => frame('/posts') + whenAsked('/posts'),
  'own.test/submits-twice': () =>
    `<form id=f method=post action=/announced></form><script>f.submit(); f.submit()</script>`,
  'own.test/routes':
    () => `${frame('/posts')}${whenAsked('/posts')}<form id=f method=post action=/announced></form><script>
      navigation.onnavigate = (event) => event.intercept()
      f.submit()</script>`,
  'other.test/chooses-fragment': () => `<iframe src="${own('/page#moved')}"></iframe>`,
  'other.test/writes-title': () =>
    `<iframe src="${own(`/done?msg=${encodeURIComponent(PASSWORD)}`)}"></iframe>`,
  'own.test/done': (query) => `<script>top.document.title = ${JSON.stringify(query.get('msg'))}</script>`,
  'own.test/flash': () => redirect(() => other('/leaves-a-notice')),
  'other.test/leaves-a-notice': () => redirect(() => own('/notice')),
  'own.test/notice': () => redirect(() => own('/flash'), { 'set-cookie': 'notice=1' }),
  'other.test/scrolls': () => `<input id=a><p id=b>b</p><a id=c href="#b">c</a><script>
    const scroll = () => { a.blur(); a.focus(); b.scrollIntoView(); c.click() }
    setInterval(scroll, 10)
    const draw = () => { scroll(); requestAnimationFrame(draw) }
    draw()
    setTimeout(() => { location = '/scrolls' }, 700)</script>`,
  'sub.own.test/quietly': () => NO_REFERRER + later(`top.location = '${own('/moved')}'`),
  'other.test/fragment': () => later(`top.location = '${own('/page')}#moved'`),
  'other.test/back': () => later('history.back()'),
  // The own page goes on by itself, with such a frame in it.
  'own.test/goes-on': () => `${frame('/empty')}${later(`location = '/next'`)}`,
  'own.test/goes-on-to-a-fragment': () =>
    `${frame('/empty')}${later(`location.hash = 'on'; history.pushState('', '', '/pushed'); location = '/next'`)}`,
  'own.test/goes-on-quietly': () => `${NO_REFERRER}${frame('/empty')}${later(`location = '/next'`)}`,
  'own.test/submits': () =>
    `${NO_REFERRER}${frame('/empty')}<form id=f method=post action=/next></form>${later('f.submit()')}`,
  'own.test/refreshes': () => `${frame('/empty')}<meta http-equiv=refresh content="1;url=/next">`,
  'own.test/links': () => `${frame('/empty')}<a id=a rel=noreferrer href=/next>a</a>${later('a.click()')}`,
  'own.test/loads-again': () =>
    `${frame('/empty')}${later(`if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() }`)}`,
  'own.test/next': () => '<p id=next>Next</p>',
  // The way leads through another site.
  'own.test/leads-around': (query) => redirect(() => other(`/sends?to=${query.get('to')}`)),
  'other.test/sends': (query) => SENDS[query.get('to') ?? '']?.() ?? '',
  'own.test/tidies': () =>
    `${form()}<script>history.replaceState(null, '', '/leads-around?to=query')</script>`,
  // Pictures and answers.
  'own.test/shows': () => `<img src="${other('/leads-to-chart')}"><img src=/chart>`,
  'other.test/leads-to-chart': () => redirect(() => own('/private-chart')),
  'own.test/keeps': () => `<script>fetch('/data').then(() => {
      document.body.appendChild(document.createElement('iframe')).src = '${other('/reads')}' })</script><body>${whenAsked('/has-read')}`,
  'own.test/data': () => (answer) =>
    void answer
      .writeHead(200, { 'cache-control': 'max-age=600', 'access-control-allow-origin': '*' })
      .end('private'),
  'other.test/reads': () => `<script>fetch('${own('/data')}').then(() => fetch('/has-read'))</script>`,
  // Guesses.
  'own.test/watched': () => form(),
  'own.test/in': () => (answer) =>
    void answer.writeHead(303, { location: '/inside', 'set-cookie': 'in=1' }).end(),
  'own.test/inside': () => 'Inside',
  'other.test/guesses': () =>
    `<iframe src="${own(`/goes-to?right=${encodeURIComponent(PASSWORD)}`)}"></iframe>
     <iframe src="/leads-on"></iframe>
     <iframe src="${own(`/passes-on?where=${encodeURIComponent(other(`/by-form?right=${encodeURIComponent(PASSWORD)}`))}`)}"></iframe>
     ${later(`location = '${own('/echo')}?q=' + encodeURIComponent('<iframe src="${other(`/by-echo?right=${encodeURIComponent(PASSWORD)}`)}"></iframe>')`)}`,
  'own.test/echo': (query) => query.get('q') ?? '',
  'own.test/goes-to': (query) =>
    `<script>location = '${other(`/by-own-page?right=${encodeURIComponent(query.get('right') ?? '')}`)}'</script>`,
  'own.test/passes-on': (query) =>
    `<form id=f method=post action="/to?where=${encodeURIComponent(query.get('where') ?? '')}"></form><script>f.submit()</script>`,
  'own.test/to': (query) => redirect(() => query.get('where') ?? ''),
  'other.test/leads-on': () => redirect(() => other(`/by-redirect?right=${encodeURIComponent(PASSWORD)}`)),
  // History.
  'own.test/returns': () => form(),
}

/** What is in a page behind the login. */
const FRAMED: Record<string, string> = {
  '/watched': '/guesses',
  '/returns': '/back',
  '/guessed-above': '/guesses-above',
}

const GUESSES = ['/by-own-page', '/by-redirect', '/by-echo', '/by-form']
/** What is asked for from there. */
const EXPECTED: Record<string, readonly string[]> = {
  '/watched': GUESSES,
  '/returns': ['/back'],
  '/guessed-above': ['/guesses-above'],
}

const SENDS: Record<string, () => string> = {
  post: () =>
    `<form id=f method=post action="${own('/leads-around?to=post')}"></form><script>f.submit()</script>`,
  fragment: () => `<script>location = '${own('/leads-around?to=fragment#evil')}'</script>`,
  query: () => `<script>location = '${own('/tidies')}'</script>`,
  keepalive: () => `<script>location = '${own('/leads-around?to=keepalive')}'
    for (let n = 0; n < 20; n++) fetch('${own('/forged')}?' + n, { keepalive: true, mode: 'no-cors' })</script>`,
  prerender: () => `<script type=speculationrules>{"prerender":[{"urls":["${own('/moved')}"]}]}</script>
    ${later(`location = '${own('/moved')}'`)}`,
}

async function record(...[answer, request, url]: Parameters<Handler>): Promise<void> {
  const { host = '' } = request.headers
  // Some browsers ask for it.
  if (url.pathname === '/favicon.ico') return void answer.writeHead(404).end()
  if (url.pathname === '/asked') {
    const missing = [...url.searchParams.keys()].filter((path) => !pathsOf(asked).includes(path))
    return void answer.end(missing.length === 0 ? 'all' : missing.join())
  }
  const body = await text(request)
  asked.push({
    ...{ origin: `http://${host}`, path: url.pathname, query: url.search },
    text: JSON.stringify([request.url, request.headers, body]),
  })
  // Who comes again is not led around.
  const isAgain = asked.filter(({ path }) => path === url.pathname).length > 1
  const page =
    isAgain && /^.(leads-around|flash)$/.test(url.pathname)
      ? form()
      : pages[`${host.split(':')[0]}${url.pathname}`]
  const isIn = request.headers.cookie?.includes('in=1') && /watched|returns|guessed/.test(url.pathname)
  const made = isIn
    ? `Inside ${frame(FRAMED[url.pathname] ?? '')}${whenAsked(...(EXPECTED[url.pathname] ?? []))}`
    : page
  const shown = typeof made === 'function' ? made(url.searchParams) : (made ?? 'A page')
  if (typeof shown === 'string') answer.writeHead(200, HTML).end(paint('#ffffff', shown))
  else shown(answer, request, url)
}

const take = async (path: string, options: Wanted) =>
  await camera.take(own(path), { width: 300, height: 200, delay: 1_500, loadingTime: 20_000, ...options })
const failureOf = async (shot: Promise<unknown>): Promise<Error> =>
  await shot.then(
    () => expect.unreachable('a picture'),
    (error) => error,
  )
const pathsOf = (all: readonly Asked[]) => [...new Set(all.map(({ path }) => path))].sort()
/** What was asked for with something that is secret. */
const told = () => pathsOf(asked.filter((each) => each.text.includes('9f31')))

describe('a frame of another site', () => {
  test('does not move the page', async () => {
    const ways = ['location', 'quietly', 'opens', 'link', 'form', 'again', 'nested', 'scripted', 'reloads']
    pages['own.test/page'] = () =>
      ways.map((way) => frame(`/${way}`)).join('') + whenAsked(...ways.map((way) => `/${way}`))
    const { seen } = await take('/page', { ...HEADERS, ...COOKIES, ...ALL })
    expect(seen.url).toBe(own('/page'))
    expect(pathsOf(asked)).toEqual(['/page', ...ways.map((way) => `/${way}`)].sort())
    expect(asked.filter(({ path }) => path === '/page')).toHaveLength(1)
  })

  test.each([
    ['/through-own', '/leads-the-page'],
    ['/back-to-own', '/leads-the-page'],
    ['/moves-to-own', '/search'],
    ['/by-blob', '/search'],
    ['/by-data', '/search'],
    ['/by-blank', '/search'],
  ])('does not have the page moved by an own page in it: %s', async (path, inIt) => {
    pages['own.test/page'] = () => frame(path) + whenAsked(inIt)
    await take('/page', { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain(inIt)
    expect(pathsOf(asked)).not.toContain('/moved')
    expect(asked.filter(({ path }) => path === '/search').length).toBeLessThan(2)
    expect(told()).toEqual(['/page'])
  })

  test.each(['/embeds', '/sandboxes'])(
    'does not move it from a frame in a frame of home: %s',
    async (path) => {
      pages['own.test/moved'] = () => form()
      const origins = [`http://sso.test:${site.port}`]
      const loginParameter = { ...LOGIN.loginParameter, origins }
      await failureOf(take(path, { ...HEADERS, loginParameter, loadingTime: 3_000 }))
      expect(pathsOf(asked)).toContain('/quietly')
      expect(pathsOf(asked)).not.toContain('/moved')
      await take(path, HEADERS)
      expect(pathsOf(asked)).not.toContain('/moved')
    },
  )

  test.each([
    ['/announces', '/announced'],
    ['/submits-twice', '/announced'],
    ['/routes', '/routes'],
  ])('does not use a navigation that the page has announced before: %s', async (path, last) => {
    await take(path, { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain('/posts')
    expect(pathsOf(asked)).toContain(last)
    expect(asked.filter(({ path, text }) => path === '/announced' && text.includes('a='))).toEqual([])
  })

  test('does not have a page at the root moved by an own page that tells only its origin', async () => {
    pages['own.test/'] = () => frame('/by-blank') + whenAsked('/search')
    pages['own.test/search'] = () =>
      `<meta name=referrer content=origin><script>if (top !== self) top.location = self.location</script>`
    const { seen } = await take('/', { ...HEADERS, ...ALL })
    expect(pathsOf(asked)).toContain('/search')
    expect(seen.url).toBe(own('/'))
    expect(told()).toEqual(['/'])
  })

  test.each(['/fragment', '/chooses-fragment', '/back'])(
    'does not choose a fragment of the page: %s',
    async (path) => {
      pages['own.test/page'] =
        () => `<script>if (top !== self) top.location = self.location</script>${frame(path)}<script>
      history.replaceState('', '', '#first'); history.pushState('', '', '#second')
      onhashchange = () => { document.body.innerHTML = ${JSON.stringify(`<p id=shown>Shown</p>${form()}`)} }</script>`
      const shot = take('/page', { ...HEADERS, delay: 0, waitFor: '#shown' })
      expect((await failureOf(shot)).message).toContain(`A frame of ${other('')} led`)
      asked.splice(0)
      const login = take('/page', { ...LOGIN, loadingTime: 3_000, delay: 0 })
      expect((await failureOf(login)).message).toContain(`was reached by way of ${other('')}`)
      expect(told()).toEqual([])
    },
  )

  test('does not scroll the page under its picture', async () => {
    pages['own.test/page'] = () =>
      `<div style="height:200px;background:#00ff00"></div>${farBelow('/scrolls')}${whenAsked('/scrolls')}`
    for (const given of [HEADERS, { ...HEADERS, fullPage: true }]) {
      const shot = await take('/page', { ...given, ...ALL })
      expect((await readPixels(shot.bytes)).at(10, 10)).toBe('#00ff00')
      asked.splice(0)
    }
  })

  test('does not scroll a part of the page', async () => {
    pages['own.test/page'] = () =>
      `<div style="height:150px;overflow:auto"><div style="height:200px;background:#00ff00"></div>${farBelow('/scrolls')}</div>
       ${whenAsked('/scrolls')}`
    const shot = await take('/page', { ...HEADERS, ...ALL })
    expect((await readPixels(shot.bytes)).at(10, 10)).toBe('#00ff00')
  })

  test.each([
    ['another port', () => `http://own.test:${port.port}/quietly`],
    ['a subdomain', () => `http://sub.own.test:${site.port}/quietly`],
  ])('does not move the page if it is of the same site: %s', async (_, address) => {
    pages[`own.test/quietly`] = () => NO_REFERRER + later(`top.location = '${own('/moved')}'`)
    pages['own.test/page'] = () => `<iframe src="${address()}"></iframe>${whenAsked('/quietly')}`
    const { seen } = await take('/page', { ...HEADERS, ...COOKIES, ...ALL })
    expect(seen.url).toBe(own('/page'))
    expect(pathsOf(asked)).toEqual(['/page', '/quietly'])
    expect(told()).toEqual(['/page'])
  })

  test('does not learn it from words that it gets into the title', async () => {
    pages['own.test/page'] = () => frame('/writes-title') + whenAsked('/done')
    expect((await take('/page', { ...HEADERS, ...ALL })).seen).toMatchObject({ url: own('/'), title: '' })
    expect(pathsOf(asked)).toContain('/done')
  })

  test('does not choose the page that a login is filled in', async () => {
    pages['own.test/page'] = () => frame('/quietly')
    pages['own.test/moved'] = () => form()
    await failureOf(take('/page', { ...LOGIN, loadingTime: 3_000 }))
    expect(told()).toEqual([])
  })

  test('does not learn which of its guesses is right', async () => {
    await take('/watched', { ...LOGIN, ...ALL })
    expect(pathsOf(asked)).toEqual(expect.arrayContaining(GUESSES))
  })

  test('does not lead back to a form that was filled in', async () => {
    const { seen } = await take('/returns', { ...LOGIN, ...ALL })
    expect(pathsOf(asked)).toContain('/back')
    expect(asked.filter(({ path }) => path === '/returns')).toHaveLength(2)
    expect(seen.url).toBe(own('/returns'))
  })

  test('does not learn it from a page that it tries to move', async () => {
    pages['other.test/guesses-above'] = () =>
      `${NO_REFERRER}${later(`
      top.location = 'http://sub.own.test/?right=${encodeURIComponent(PASSWORD)}'`)}`
    pages['own.test/guessed-above'] = () => form()
    const { seen } = await take('/guessed-above', { ...LOGIN, ...ALL })
    expect(seen.url).toBe(own('/guessed-above'))
    expect(pathsOf(asked)).toContain('/guesses-above')
  })

  test('reads no answer that the browser has kept', async () => {
    await take('/keeps', { ...HEADERS, ...ALL })
    const data = asked.filter(({ path }) => path === '/data')
    expect(pathsOf(asked)).toContain('/has-read')
    expect(data.map((each) => each.text.includes('9f31'))).toEqual([true, false])
  })

  test('does not show in its picture what the server answers to headers and cookies', async () => {
    for (const given of [HEADERS, COOKIES]) {
      await take('/shows', given)
      expect(told()).toEqual(['/chart', '/shows'])
      asked.splice(0)
    }
  })
})

test.each(['/goes-on', '/goes-on-to-a-fragment', '/goes-on-quietly', '/submits', '/refreshes', '/links'])(
  'a page with such a frame goes on by itself, with its secrets: %s',
  async (path) => {
    const { seen } = await take(path, { ...HEADERS, ...COOKIES, delay: 0, waitFor: '#next' })
    expect(seen.url).toBe(own('/next'))
    expect(told()).toEqual([path, '/next'].sort())
  },
)

test('a page with such a frame loads itself again', async () => {
  await take('/loads-again', HEADERS)
  const again = asked.filter(({ path }) => path === '/loads-again')
  expect(again.map((each) => each.text.includes('9f31'))).toEqual([true, true])
})

test('a site on the way leaves nothing where a login is filled in', async () => {
  const failure = await failureOf(take('/flash', { ...LOGIN, loadingTime: 3_000 }))
  expect(failure.message).toContain(`was reached by way of ${other('')}`)
  expect(told()).toEqual([])
})

test.each(['post', 'fragment', 'query', 'keepalive', 'prerender'])(
  'a site on the way does not choose what is asked with secrets: %s',
  async (to) => {
    const path = `/leads-around?to=${to}`
    const { seen } = await take(path, { ...HEADERS, ...COOKIES })
    const have = asked.filter((each) => each.text.includes('9f31'))
    // The address that was given still has them.
    expect(have.map(({ path }) => path)).toEqual(Array(to === 'keepalive' ? 2 : 1).fill('/leads-around'))
    expect(asked.filter(({ origin }) => origin === own('')).length).toBeGreaterThan(1)
    expect(seen).toMatchObject({ url: own('/'), title: '' })
    asked.splice(0)
    const failure = await failureOf(take(path, { ...LOGIN, loadingTime: 3_000 }))
    expect(failure.message).toContain(`was reached by way of ${other('')}`)
    expect(told()).toEqual([])
  },
)
