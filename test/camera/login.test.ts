// @module-tag browser

import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import type { CaptureFailure, Shot } from '../../src/camera/camera.ts'
import type { Login } from '../../src/contract/options/steps.ts'
import { type Handler, HTML, openTestCamera, paint, readPixels, serveSite } from '../support/camera/camera.ts'
import { HIDES_ITS_FORM, loginWith } from '../support/camera/login-attacks.ts'
import { useServer } from '../support/servers/use-servers.ts'

// Where a login is filled in, and where it is sent. Three names of one server are three origins on three sites.

const [USER, PASSWORD] = ['ada-9f31', 'secret 9f31/+é']
const LOGIN = loginWith(USER, PASSWORD)

interface Asked {
  readonly origin: string
  readonly path: string
  readonly query: string
  readonly method: string | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}
const asked: Asked[] = []
afterEach(() => void asked.splice(0))

const form = (action: string, more = '') =>
  paint(
    '#ff0000',
    `<form method=post action="${action}"><input id=user name=user><input id=password name=password type=password>
      <button id=login>Log in</button></form>${more}`,
  )
const site = useServer(() => serveSite({ '*': record }))
const camera = useServer(async () =>
  openTestCamera({ allow: ['own', 'sso', 'other'].map((name) => `${name}.test:${site.port}`).join(',') }),
)
const own = (path: string) => `http://own.test:${site.port}${path}`
const sso = (path: string) => `http://sso.test:${site.port}${path}`
const other = (path: string) => `http://other.test:${site.port}${path}`

/** The page is green while no field for a password has a text. */
const ANY_PASSWORD = `<style>html { background: #00ff00 !important }
  html:has([type=password]:not(:placeholder-shown)) { background: #ff0000 !important }</style>
  <script>document.head.append(document.currentScript.previousElementSibling)
  for (const each of document.querySelectorAll('[type=password]')) each.placeholder = ' '</script>`
/** Its script replaces the form. */
const inPlace = (behind: string) =>
  form(
    '/never',
    `<script>document.forms[0].onsubmit = (event) => {
      event.preventDefault()
      document.body.innerHTML = '${behind.replaceAll('type=password', 'type=password placeholder=" "')}' }</script>${ANY_PASSWORD}`,
  )
const moved =
  (location: string, status = 302): Handler =>
  (answer) =>
    void answer.writeHead(status, { location }).end()
const setCookie =
  (location: string): Handler =>
  (answer) =>
    void answer.writeHead(303, { location, 'set-cookie': 'in=1; Path=/' }).end()

const pages: Record<string, string | (() => string | Handler)> = {
  // Without a session, the page redirects to the other origin and back by way of a third one, which gets nothing.
  'own.test/app': () => moved(sso('/login?return=/app')),
  'sso.test/login': () => form('/check'),
  'sso.test/check': () => moved(other('/count?from=sso'), 303),
  'other.test/count': () => moved(own('/welcome')),
  'own.test/welcome': () => setCookie('/app'),
  'own.test/check': () => setCookie('/in'),
  'own.test/posts-back': () => moved(sso('/saml')),
  'sso.test/saml': () => form('/saml-check'),
  'sso.test/saml-check': () =>
    paint(
      '#ff0000',
      `<form method=post action="${own('/welcome')}"><input name=a value=b></form><script>document.forms[0].submit()</script>`,
    ),
  'own.test/hides': HIDES_ITS_FORM,
  // Its script keeps the typed values, and draws the form again on the first click.
  'own.test/draws-again': () =>
    form(
      '/never',
      `<button id=again>Again</button><script>const form = document.forms[0], parent = form.parentNode
      let typed
      form.onsubmit = () => { typed = [user.value, password.value]; form.remove(); return false }
      again.onclick = () => { parent.append(form); [user.value, password.value] = typed }</script>${ANY_PASSWORD}`,
    ),
  'own.test/headers': () => form('/keep'),
  'own.test/keep': () => moved(other('/got'), 307),
  'own.test/tells-in-a-fragment': () => form('/tell-in-a-fragment'),
  'own.test/tell-in-a-fragment': () => moved(other(`/welcome#user=${USER}`), 303),
  'own.test/into-frame': () =>
    form(
      '/keep',
      `<iframe name=inner src="${other('/empty')}"></iframe><script>document.forms[0].target = 'inner'</script>`,
    ),
  'own.test/greets': () => form('/greet'),
  'own.test/greet': () =>
    paint(
      '#00ff00',
      `<iframe src="${other(`/chat?user=${USER}`)}"></iframe><script>history.replaceState(null, '', '/greets')</script>`,
    ),
  // The same document, with a field that masks what a visitor has stored.
  'own.test/in-place': () => inPlace(`<input type=password name=hook value="${PASSWORD}">`),
  'own.test/fills-again': () =>
    inPlace('<input type=password id=a>').replace(
      '</script>',
      ';setInterval(() => { const a = document.querySelector("#a"); if (a) a.value = "stored" }, 5)</script>',
    ),
  'own.test/like-its-form': () =>
    inPlace(`<input name=user value=team><input type=password name=password value="${PASSWORD}">`),
  'own.test/like-its-form-and-wrong': () =>
    inPlace(`<input name=user value=team><input type=password name=password value="a wrong guess">`),
  // Behind the login, texts of a visitor embed guesses.
  'own.test/comments': () => form('/commented'),
  'own.test/commented': () =>
    paint(
      '#00ff00',
      `<iframe hidden src="${other(`/embedded?right=${encodeURIComponent(PASSWORD)}`)}"></iframe><iframe hidden src=/open></iframe>
      <script>history.replaceState(null, '', '/comments')</script>`,
    ),
  // Another origin chooses the page with the form.
  'own.test/leads-around': () => moved(other('/chooses')),
  'other.test/chooses': () => moved(own('/chosen')),
  'own.test/chosen': () => form('/check'),
  'own.test/leaves': () => `<script>location = '${other('/sends-back')}'</script>`,
  'other.test/sends-back': () => `<script>location = '${own('/chosen')}'</script>`,
  // A frame tries guesses: it would learn the right one if only that one did not arrive.
  'own.test/watched': () =>
    form(
      'javascript:void(0)',
      `<iframe src="${other('/guesses')}"></iframe><input value="${PASSWORD}" id=visitor>
      <script>document.forms[0].onsubmit = () => { document.forms[0].remove()
      document.documentElement.style.background = '#00ff00'; return false }</script>`,
    ),
  'other.test/guesses': () => `<script>
    let n = 0
    const ask = (src) => { document.body.appendChild(document.createElement('iframe')).src = src }
    document.write('<body>')
    setInterval(() => {
      const guess = encodeURIComponent('${PASSWORD}')
      if (++n > 20) return
      ask('/guess?right=' + guess)
      ask('${own('/open')}?right=' + guess)
      if (n === 10) location = '/guess-itself?right=' + guess
    }, 100)</script>`,
  'own.test/open': () => moved(other(`/guess-by-way?right=${encodeURIComponent(PASSWORD)}`)),
  'own.test/scripted': () =>
    form(
      'javascript:void(0)',
      `<script>document.forms[0].onsubmit = () => { document.forms[0].remove()
      document.documentElement.style.background = '#00ff00'; return false }</script>`,
    ),
}

async function record(...[answer, request, url]: Parameters<Handler>): Promise<void> {
  const { host = '', cookie = '' } = request.headers
  const name = host.split(':')[0]
  asked.push({
    ...{ origin: `http://${host}`, path: url.pathname, query: url.search, method: request.method },
    ...{ headers: request.headers, body: await text(request) },
  })
  const isIn = name === 'own.test' && cookie.includes('in=1')
  const page = isIn ? paint('#00ff00') : pages[`${name}${url.pathname}`]
  const made = typeof page === 'function' ? page() : (page ?? paint('#ffffff'))
  if (typeof made === 'string') answer.writeHead(200, HTML).end(made)
  else made(answer, request, url)
}

const take = (url: string, loginParameter: Login, more: object = {}) =>
  camera.take(url, { loginParameter, width: 300, height: 200, loadingTime: 20_000, ...more })
const colourOf = async (shot: Promise<Shot>) => (await readPixels((await shot).bytes)).at(290, 190)
const failureOf = async (shot: Promise<Shot>): Promise<CaptureFailure> =>
  await shot.then(
    () => expect.unreachable('a picture'),
    (error) => error,
  )
const told = () =>
  asked.filter((each) => JSON.stringify(each).includes('9f31')).map(({ origin, path }) => `${origin}${path}`)

describe('a login', () => {
  test('is filled in at an allowed origin, and may return by way of others', async () => {
    const login = { ...LOGIN, origins: [sso('/')] }
    expect(await colourOf(take(own('/app'), login))).toBe('#00ff00')
    expect(told()).toEqual([sso('/check')])
    expect(asked.map(({ path }) => path)).toContain('/count')
  })

  test('returns with a form that is posted to its page', async () => {
    expect(await colourOf(take(own('/posts-back'), { ...LOGIN, origins: [sso('')] }))).toBe('#00ff00')
    expect(told()).toEqual([sso('/saml-check')])
  })

  test('is not filled in at another origin that was not allowed', async () => {
    const failure = await failureOf(take(own('/app'), LOGIN, { loadingTime: 4_000 }))
    expect(failure).toMatchObject({
      reason: 'login',
      message:
        `The login did not work. The form of the login is at ${sso('')}. The login was given for ${own('')}. ` +
        `If it belongs there, name ${sso('')} in loginParameter.origins.`,
    })
    expect(told()).toEqual([])
  })

  test('is not sent on to another origin; headers and cookies still go to their own origin', async () => {
    const headers = { 'x-mark': 'header-value' }
    const cookies = [{ name: 'session', value: 'cookie-value' }]
    const { reason, message } = await failureOf(take(own('/headers'), LOGIN, { headers, cookies }))
    expect([reason, message]).toEqual([
      'login',
      expect.stringContaining(`would have been sent on to ${other('')}.`),
    ])
    expect(told()).toEqual([own('/keep')])
    const sent = asked.filter(({ path }) => /headers|keep/.test(path))
    expect(sent.map((each) => [each.headers['x-mark'], each.headers['cookie']])).toEqual(
      sent.map(() => ['header-value', 'session=cookie-value']),
    )
    expect(sent.length).toBeGreaterThanOrEqual(2)
  })

  test('is not sent on in the fragment of a URL', async () => {
    expect(await failureOf(take(own('/tells-in-a-fragment'), LOGIN))).toMatchObject({
      reason: 'login',
      message: expect.stringContaining(`would have been sent on to ${other('')}.`),
    })
    expect(asked.map(({ path }) => path)).not.toContain('/welcome')
  })

  test('is not sent on in a frame of another site', async () => {
    expect(await failureOf(take(own('/into-frame'), LOGIN))).toMatchObject({
      reason: 'login',
      message: expect.stringContaining('still shows the password field'),
    })
    expect(asked.map(({ path }) => path)).toContain('/empty')
    expect(told()).toEqual([own('/keep')])
  })

  test('leaves nothing in the fields, neither for steps nor for the picture', async () => {
    expect(await colourOf(take(own('/hides'), LOGIN, { clicks: [{ elementId: '#show' }] }))).toBe('#00ff00')
  })

  test('leaves nothing in a form that is shown again with the typed values', async () => {
    const shot = take(own('/draws-again'), LOGIN, { clicks: [{ elementId: '#again' }] })
    expect(await colourOf(shot)).toBe('#00ff00')
  })

  test.each(['/in-place', '/like-its-form', '/like-its-form-and-wrong'])(
    'does not tell a visitor whose guess of the password is in a masked field whether it is right: %s',
    async (path) => {
      expect(await colourOf(take(own(path), LOGIN))).toBe('#00ff00')
    },
  )

  test('gives no picture if a field for a password is filled in again and again', async () => {
    expect(await failureOf(take(own('/fills-again'), LOGIN))).toMatchObject({
      reason: 'login',
      message: expect.stringContaining('fills in fields for a password again and again'),
    })
  })

  test('does not keep the page behind it from telling a frame who is logged in', async () => {
    expect(await colourOf(take(own('/greets'), LOGIN))).toBe('#00ff00')
    expect(told()).toEqual([own('/greet'), other('/chat')])
  })

  test.each(['/leads-around', '/leaves'])(
    'is not filled in on a page that another origin chose: %s',
    async (path) => {
      const failure = await failureOf(take(own(path), LOGIN, { loadingTime: 4_000 }))
      expect(failure).toMatchObject({
        reason: 'login',
        message:
          `The login did not work. The form of the login was reached by way of ${other('')}. ` +
          `The login was given for ${own('')}. If it belongs there, name ${other('')} in loginParameter.origins.`,
      })
      expect(asked.map(({ path }) => path)).toContain('/chosen')
      expect(told()).toEqual([])
      expect(await colourOf(take(own(path), { ...LOGIN, origins: [other('')] }))).toBe('#00ff00')
    },
  )

  test('does not reveal to a frame of another origin, or to texts of a visitor, which guess is right', async () => {
    expect(await colourOf(take(own('/watched'), LOGIN, { delay: 3_000 }))).toBe('#00ff00')
    const paths = asked.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/guess', '/guess-by-way', '/guess-itself']))
  })

  test('does not reveal to what a visitor embeds behind the login which guess is right', async () => {
    expect(await colourOf(take(own('/comments'), LOGIN))).toBe('#00ff00')
    expect(asked.map(({ path }) => path)).toEqual(expect.arrayContaining(['/embedded', '/guess-by-way']))
  })

  test('may be submitted by a script', async () => {
    expect(await colourOf(take(own('/scripted'), LOGIN))).toBe('#00ff00')
  })
})
