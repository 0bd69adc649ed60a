import { text } from 'node:stream/consumers'
import { afterEach, expect } from 'vitest'
import { useServer } from '../servers/use-servers.ts'
import { type Handler, HTML, openTestCamera, paint, serveSite, type Wanted } from './camera.ts'
import { loginWith } from './login-attacks.ts'

// Attempts of frames of other sites, and of sites in between, to misuse a page with secrets.

export const [USER, PASSWORD] = ['ada-9f31', 'secret 9f31/+é']
export const LOGIN = { loginParameter: loginWith(USER, PASSWORD), loadingTime: 20_000 }
export const HEADERS = { headers: { 'x-mark': 'header-9f31' } }
export const COOKIES = { cookies: [{ name: 'session', value: 'cookie-9f31' }] }

interface Asked {
  readonly origin: string
  readonly path: string
  readonly query: string
  readonly text: string
}

/** Pages of the own origin, and pages of other sites in their frames or in between. Every request is recorded. */
export function useStrangers() {
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
  const onceAsked = (paths: readonly string[], script: string) => `<script>
    const look = setInterval(async () => {
      const answer = await fetch('/asked?${paths.join('&')}')
      if ((await answer.text()) !== 'all') return
      clearInterval(look)
      ${script}
    }, 100)</script>`
  /** Shows `#all` when all of these were requested. */
  const whenAsked = (...paths: readonly string[]) =>
    onceAsked(paths, `document.body.insertAdjacentHTML('beforeend', '<p id=all>All</p>')`)
  /** A frame acts soon after these requests, so a short delay is enough. */
  const ALL = { waitFor: '#all', delay: 1_000 }
  /** A frame that is far below the window, and scrolls into it in every way. */
  const farBelow = (path: string) =>
    `<div style="height:1500px"></div>${frame(path)}<div style="height:1500px"></div>`
  /** A page whose answers the browser may keep, with a frame that reads them. */
  const keeps = (reader: string) => `<body><script>
    fetch('/data').then(() => { document.body.appendChild(document.createElement('iframe')).src = '${reader}' })
    </script>${whenAsked('/has-read')}`
  const NO_REFERRER = '<meta name=referrer content=no-referrer>'

  const pages: Record<string, string | ((query: URLSearchParams) => string | Handler)> = {
    // Requests of another site in a frame.
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
    // Frames of the own origin in processes of their own.
    'own.test/embeds': () =>
      `<iframe src="http://sso.test:${site.port}/widget"></iframe>${whenAsked('/quietly')}`,
    'sso.test/widget': () => frame('/quietly'),
    'own.test/sandboxes': () =>
      `<iframe src=/widget sandbox="allow-scripts allow-top-navigation"></iframe>${whenAsked('/quietly')}`,
    'own.test/widget': () => frame('/quietly'),
    // Pages of the own origin that do not want to be in a frame.
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
    'other.test/posts-often': (query) =>
      `${NO_REFERRER}<form id=f method=post target=_top action="${own(query.get('to') ?? '')}"><input name=a></form>
      <script>setTimeout(() => { const often = setInterval(() => f.submit(), 15)
        setTimeout(() => clearInterval(often), 2_500) }, 300)</script>`,
    'own.test/reloads-twice': () => (answer) => {
      const times = asked.filter(({ path }) => path === '/reloads-twice').length
      const page =
        times > 3
          ? 'Over'
          : `${frame('/posts-often?to=/reloads-twice')}${later('location.reload(); location.reload()')}`
      setTimeout(() => answer.writeHead(200, HTML).end(page), times > 1 ? 400 : 0)
    },
    // A router shows something else instead of leaving the page.
    'own.test/routes': () => `${frame('/posts-often?to=/announced')}${whenAsked('/posts-often')}
      <form id=f method=post action=/announced></form><script>
        navigation.onnavigate = (event) => event.intercept()
        onload = () => { const often = setInterval(() => f.submit(), 100)
          setTimeout(() => clearInterval(often), 2_500) }</script>`,
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
    // An own document in the frame of another site, which came there by itself.
    'other.test/comes-back': () => later(`location = '${own('/returned')}'`),
    'own.test/returned': () => `<img src=/by-returned><script>fetch('/by-returned')
      setTimeout(() => { new Image().src = '/by-returned-later' }, 300)</script>`,
    'other.test/to-end': () => `<p id=b>b</p><script>
      const end = setInterval(() => { b.scrollIntoView({ block: 'end' }) }, 30); setTimeout(() => { clearInterval(end) }, 700)</script>`,
    'other.test/to-start': () => `<p id=b>b</p><script>
      setTimeout(() => { setInterval(() => { b.scrollIntoView({ block: 'start' }) }, 30) }, 1200)</script>`,
    'other.test/is-busy': () => `<p id=b>b</p><script>
      setTimeout(() => { for (;;) b.scrollIntoView() }, 300)</script>`,
    'sub.own.test/quietly': () => NO_REFERRER + later(`top.location = '${own('/moved')}'`),
    'other.test/fragment': () => later(`top.location = '${own('/page')}#moved'`),
    'other.test/back': () => later('history.back()'),
    // The page itself navigates, with such a frame in it.
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
    // Pages reached by way of another site.
    'own.test/leads-around': (query) => redirect(() => other(`/sends?to=${query.get('to')}`)),
    'other.test/sends': (query) => SENDS[query.get('to') ?? '']?.() ?? '',
    'own.test/tidies': () =>
      `${form()}<script>history.replaceState(null, '', '/leads-around?to=query')</script>`,
    // Pictures and answers.
    'own.test/shows': () => `<img src="${other('/leads-to-chart')}"><img src=/chart>`,
    'other.test/leads-to-chart': () => redirect(() => own('/private-chart')),
    'own.test/keeps': () => keeps(other('/reads')),
    'own.test/keeps-inside': () => (answer, request) =>
      void answer
        .writeHead(200, HTML)
        .end(request.headers.cookie ? keeps(`http://sub.own.test:${site.port}/reads`) : form()),
    'own.test/data': () => (answer) =>
      void answer
        .writeHead(200, { 'cache-control': 'max-age=600', 'access-control-allow-origin': '*' })
        .end('private'),
    'sub.own.test/reads': () => `<script>fetch('${own('/data')}').then(() => fetch('/has-read'))</script>`,
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
       ${onceAsked(['/by-own-page', '/by-redirect', '/by-form'], `location = '${own('/echo')}?q=' + encodeURIComponent('<iframe src="${other(`/by-echo?right=${encodeURIComponent(PASSWORD)}`)}"></iframe>')`)}`,
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

  /** The content of a page behind the login. */
  const FRAMED: Record<string, string> = {
    '/watched': '/guesses',
    '/returns': '/back',
    '/guessed-above': '/guesses-above',
  }

  const GUESSES = ['/by-own-page', '/by-redirect', '/by-echo', '/by-form']
  /** The requests of that page. */
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
    // A favicon that some browsers request.
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
    // The second visit is not led around.
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
  /** Requests that carry a secret. */
  const told = () => pathsOf(asked.filter((each) => each.text.includes('9f31')))
  return {
    ...{ asked, site, port, take, own, other, frame, form },
    ...{ later, farBelow, whenAsked, pages, failureOf, pathsOf, told, GUESSES, ALL, NO_REFERRER },
  }
}
