// @module-tag browser

import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { CaptureFailure, Shot } from '../../src/camera/camera.ts'
import {
  type Handler,
  HTML,
  openTestCamera,
  paint,
  serveSite,
  type Wanted,
} from '../support/camera/camera.ts'
import { LOGIN, loginPages, PASSWORD, USER, WRONG } from '../support/camera/login-site.ts'
import { useServer } from '../support/servers/use-servers.ts'
import { A_WHILE, BLUE, FOREVER, GREEN, look, RED } from './use-site.ts'

const box = (id: string, top: number, colour: string, more = '') =>
  `<div id=${id} style="position:absolute;left:100px;top:${top}px;width:300px;height:200px;background:${colour};${more}"></div>`
const strict =
  (html: string): Handler =>
  (answer) =>
    void answer
      .writeHead(200, {
        ...HTML,
        'content-security-policy': "default-src 'none'; style-src 'nonce-x'; script-src 'nonce-x'",
      })
      .end(html)
/** A click runs this script. */
const on = (id: string, does: string) => `<script>${id}.onclick = () => { ${does} }</script>`
const turn = (colour: string) => `document.documentElement.style.background = '${colour}'`

const site = useServer(() =>
  serveSite({
    ...loginPages({ '/reports': GREEN, '/people': BLUE, '/bills': '#00ffff' }),
    '/menu': paint(
      RED,
      `<div style="height:2000px"></div><button id=first>1</button><button id=second style="visibility:hidden">2</button>
      ${on('first', 'setTimeout(() => { second.style.visibility = "visible" }, 300)')}${on('second', turn(GREEN))}`,
    ),
    '/leads': paint(RED, '<a href=/green>on</a><a class=broken href="http://dead.nowhere/">off</a>'),
    '/green': paint(GREEN, `<p id=hero>${'text '.repeat(100)}</p>`),
    '/obstacles': paint(
      GREEN,
      `<button id=off disabled>1</button><button id=under>2</button>
      <div style="position:fixed;inset:0"></div><button hidden id=gone>3</button>`,
    ),
    '/late': paint(
      RED,
      `<script>setTimeout(() => { document.body.innerHTML = '<p id=late>x</p>'; ${turn(GREEN)} }, 1500)</script>`,
    ),
    '/waits': paint(RED, `<script>onload = () => setTimeout(() => { ${turn(GREEN)} }, 1200)</script>`),
    // It waits for an answer, and does nothing else: like an endless loop, which would take a core from other tests.
    '/busy': paint(
      RED,
      `<button id=a>1</button>${on('a', "const asked = new XMLHttpRequest(); asked.open('GET', '/never', false); asked.send()")}`,
    ),
    '/never': () => {},
    // When the mouse arrives, another button is where this one was: once, or always.
    '/slides': paint(
      RED,
      `<button id=b>b</button><button id=a>a</button>${on('a', turn(GREEN))}${on('b', turn(BLUE))}
      <style>button { display: block; height: 40px }</style><script>
      addEventListener('mousemove', () => document.body.prepend(a), { once: true })</script>`,
    ),
    '/flees': paint(
      GREEN,
      `<button id=a>a</button><button id=b>b</button>${on('a', turn(RED))}${on('b', turn(RED))}
      <style>button { display: block; height: 40px }</style><script>
      addEventListener('mousemove', () => document.body.prepend(document.body.querySelector('button:nth-of-type(2)')))</script>`,
    ),
    '/strict': strict(
      `<!doctype html><style nonce=x>html { background: red } #ad { height: 100px; background: blue } body { margin: 0 }</style>
      <div id=ad></div><div class=note>x</div><a id=next href=/strict-next>next</a><script nonce=x>document.adoptedStyleSheets = []</script>`,
    ),
    '/strict-next': strict(
      '<!doctype html><style nonce=x>html { background: red } body { margin: 0 }</style><p id=ad>x</p><p class=note>x</p>',
    ),
    '/boxes': paint(
      RED,
      `${box('near', 50, GREEN)}${box('far', 5000, BLUE)}${box('thin', 300, GREEN, 'height:10px')}
      ${box('flat', 400, GREEN, 'height:0')}${box('broad', 6000, GREEN, 'width:3000px')}<header style="position:fixed;top:0;width:100%;height:60px"></header>
      <div style="position:absolute;top:700px;height:100px;width:400px;overflow:auto"><div style="height:900px"></div>
        <div id=inner style="height:50px;background:${BLUE}"></div></div>
      <div id=lazy style="position:absolute;top:7000px;width:50px;height:50px"></div>
      <script>new IntersectionObserver(([seen]) => { if (seen.isIntersecting) lazy.style.background = '${GREEN}' }).observe(lazy)</script>`,
    ),
    '/hover': paint(
      GREEN,
      `<style>#all { position: fixed; inset: 0 } #all:hover { background: ${RED} }</style><a id=all></a>`,
    ),
    '/tampered': paint(
      RED,
      `<button id=a>1</button>${on('a', turn(GREEN))}<script>
      const lie = () => { throw new Error('tampered') }
      for (const name of ['checkVisibility', 'getClientRects', 'matches', 'closest']) Element.prototype[name] = lie
      Document.prototype.elementFromPoint = lie</script>`,
    ),
    '/reloads': paint(RED, '<a id=a>1</a><script>setTimeout(() => location.reload(), 100)</script>'),
    '/redraws': paint(
      RED,
      `<script>setInterval(() => { document.body.innerHTML = '<a id=a>1</a>' }, 5)</script>`,
    ),
  }),
)
/** In this time a page loads even on a busy machine; then the wait for a missing element begins. */
const TO_BE_SURE = 10_000
const camera = useServer(async () => openTestCamera({ allow: `site.test:${site.port}`, concurrency: 6 }))
const take = (path: string, wanted: Wanted = {}) =>
  camera.take(`http://site.test:${site.port}${path}`, {
    loadingTime: 60_000,
    width: 800,
    height: 600,
    ...wanted,
  })
const colourOf = async (shot: Promise<Shot>) => (await look(shot)).at(799, 599)
const failureOf = async (shot: Promise<Shot>): Promise<CaptureFailure> =>
  await shot.then(
    () => expect.unreachable('a picture'),
    (error) => error,
  )
const notesOf = async (shot: Promise<Shot>) =>
  ((await shot).seen.notes ?? []).map(({ note, detail }) => `${note}: ${detail}`)

describe.concurrent('a login', () => {
  test('opens pages behind it, each in a context of its own', async () => {
    expect(await colourOf(take('/reports'))).toBe(RED)
    const colours = ['/reports', '/people', '/bills'].map((path) =>
      colourOf(take(path, { loginParameter: LOGIN })),
    )
    expect(await Promise.all(colours)).toEqual([GREEN, BLUE, '#00ffff'])
    expect(await colourOf(take('/reports'))).toBe(RED)
  })

  test('finds its fields and its button by a bare word, too', async () => {
    const { username, password } = LOGIN
    const loginParameter = {
      username: { ...username, elementId: 'email' },
      password: { ...password, elementId: 'password' },
      loginButton: { elementId: 'button' },
    }
    const { seen } = await take('/reports', { loginParameter })
    expect(seen).toMatchObject({ status: 200, title: 'Inside', marks: [] })
  })

  test.each([
    ['with a wrong password', WRONG, 'After the login, the page still shows the password field #password.'],
    [
      'without its field',
      { ...LOGIN, username: { elementId: '#user', username: USER } },
      'There is no element #user on the page.',
    ],
    [
      'without its button',
      { ...LOGIN, loginButton: { elementId: '#go' } },
      'There is no element #go on the page.',
    ],
    [
      'with an invalid selector',
      { ...LOGIN, loginButton: { elementId: '[[' } },
      '[[ is not a valid CSS selector.',
    ],
  ])('%s fails with its own message', async (_, loginParameter, words) => {
    const error = await failureOf(take('/reports', { loginParameter, loadingTime: TO_BE_SURE }))
    expect(error).toMatchObject({ reason: 'login', message: expect.stringContaining(words) })
    expect(error.seen).toMatchObject({ title: 'Log in' })
  })

  test('appears in no error', async () => {
    const wrong = await failureOf(take('/reports', { loginParameter: WRONG }))
    const cut = new AbortController()
    const closed = camera.take(`http://site.test:${site.port}/reports`, { loginParameter: LOGIN }, cut.signal)
    cut.abort(new Error('closed'))
    const told = inspect([wrong, await failureOf(closed)], { depth: 9, maxStringLength: null })
    for (const secret of ['s3cret', encodeURIComponent(PASSWORD), USER, encodeURIComponent(USER)]) {
      expect(told).not.toContain(secret)
    }
  })
})

describe.concurrent('clicks', () => {
  test('happen in order, and wait for their elements', async () => {
    const clicks = [{ elementId: '#first' }, { elementId: 'second' }]
    const shot = take('/menu', { clicks, fullPage: true })
    expect([await colourOf(shot), await notesOf(shot)]).toEqual([GREEN, []])
    expect(await colourOf(take('/menu'))).toBe(RED)
  })

  test('may lead to another page', async () => {
    const shot = take('/leads', { clicks: [{ elementId: 'a' }] })
    expect([await colourOf(shot), (await shot).seen.url]).toEqual([
      GREEN,
      `http://site.test:${site.port}/green`,
    ])
  })

  test('that lead to a page which cannot be loaded fail like such a page', async () => {
    expect(
      await failureOf(take('/leads', { clicks: [{ elementId: '.broken' }], waitFor: '#x' })),
    ).toMatchObject({ reason: 'dns' })
  })

  test.each([
    { '#nobody': 'There is no element #nobody on the page.', '#off': 'The element #off is disabled.' },
    { '#under': 'Another element covers #under, or it moves.', '[[': '[[ is not a valid CSS selector.' },
    { '#gone': 'The element #gone is not visible.' },
  ])('that find no element, or cannot click it, are noted: %o', async (why) => {
    const clicks = Object.keys(why).map((elementId) => ({ elementId }))
    const shot = take('/obstacles', { clicks, loadingTime: TO_BE_SURE })
    expect(await notesOf(shot)).toEqual(
      Object.entries(why).map(([selector, words]) => `click: ${selector} was not clicked. ${words}`),
    )
    expect(await colourOf(shot)).toBe(GREEN)
  })

  test('work even if the page replaces built-in methods', async () => {
    const shot = take('/tampered', { clicks: [{ elementId: '#a' }] })
    expect([await colourOf(shot), await notesOf(shot)]).toEqual([GREEN, []])
  })

  test('do not hit another element if the page moves when the mouse arrives', async () => {
    const moves = take('/slides', { clicks: [{ elementId: '#a' }] })
    expect([await colourOf(moves), await notesOf(moves)]).toEqual([GREEN, []])
    const flees = take('/flees', { clicks: [{ elementId: '#a' }] })
    expect(await colourOf(flees)).toBe(GREEN)
    expect(await notesOf(flees)).toEqual([
      'click: #a was not clicked. Another element covers #a, or it moves.',
    ])
  })

  test('leave no mouse pointer on the page', async () => {
    expect(await colourOf(take('/hover', { clicks: [{ elementId: '#all', loadingTime: 0 }] }))).toBe(GREEN)
  })

  test('that keep the page busy forever fail with `timeout`', async () => {
    expect(
      await failureOf(take('/busy', { clicks: [{ elementId: '#a' }], loadingTime: A_WHILE })),
    ).toMatchObject({
      reason: 'timeout',
    })
  })
})

test.concurrent('a page that never stands still ends, with any step', async () => {
  const clicks = [{ elementId: '#a' }, { elementId: '#b' }]
  const ends = [
    take('/reloads', { clicks, loadingTime: TO_BE_SURE }),
    take('/reloads', { loginParameter: LOGIN, loadingTime: A_WHILE }),
    take('/redraws', { waitFor: '#b', loadingTime: A_WHILE }),
    take('/redraws', { element: '#b', loadingTime: A_WHILE }),
  ].map((shot) =>
    shot.then(
      () => 'taken',
      ({ reason }) => reason,
    ),
  )
  expect(await Promise.all(ends)).toEqual(['taken', 'login', 'wait_for', 'element'])
})

describe.concurrent('a wait', () => {
  test('for an element ends when the element is visible', async () => {
    expect(await colourOf(take('/late', { waitFor: '#late' }))).toBe(GREEN)
  })

  test.each([
    [
      '#never',
      '#never did not become visible within the loading time of 10000 ms. There is no element #never on the page.',
    ],
    ['a >', 'a > is not a valid CSS selector.'],
  ])('for an element that never appears fails: %s', async (waitFor, message) => {
    const error = await failureOf(take('/green', { waitFor, loadingTime: TO_BE_SURE }))
    expect(error).toMatchObject({ reason: 'wait_for', message })
  })

  test('on an error page fails with the HTTP status, if that counts as a failure', async () => {
    const shot = take('/not-there', { waitFor: '#never', failOn: 'status', loadingTime: TO_BE_SURE })
    expect(await failureOf(shot)).toMatchObject({ reason: 'status', seen: { status: 404 } })
  })

  test('for some time extends the loading time and the deadline', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, graceMs: 1_000 })
    try {
      const shot = own.take(`http://site.test:${site.port}/waits`, {
        loadingTime: TO_BE_SURE,
        delay: TO_BE_SURE + 1_000,
      })
      expect((await look(shot)).at(0, 0)).toBe(GREEN)
    } finally {
      await own.close()
    }
  })
})

describe.concurrent('styles', () => {
  const css = 'html { background: #0f0 !important }'

  test('are applied in every document, whatever its policy and whatever it does to its style sheets', async () => {
    for (const clicks of [undefined, [{ elementId: '#next' }]]) {
      const shown = await look(take('/strict', { css, hide: ['ad', '.note'], ...(clicks && { clicks }) }))
      expect([shown.at(0, 0), shown.at(0, 50), shown.at(799, 599)]).toEqual([GREEN, GREEN, GREEN])
    }
    expect((await look(take('/strict'))).at(0, 50)).toBe(BLUE)
  })

  test('are applied after a login, too', async () => {
    expect(await colourOf(take('/people', { loginParameter: LOGIN, css }))).toBe(GREEN)
  })

  test('that hide nothing are noted', async () => {
    expect(await notesOf(take('/strict', { hide: ['#ad', '.chat', 'p{', 'note'] }))).toEqual([
      'hide: .chat was not hidden. There is no element .chat on the page.',
      'hide: p{ was not hidden. p{ is not a valid CSS selector.',
      'hide: note was not hidden. There is no element note on the page.',
    ])
  })
})

describe.concurrent('an element', () => {
  test.each([
    ['near', false, 300, 200, GREEN],
    ['#far', false, 300, 200, BLUE],
    ['#far', true, 300, 200, BLUE],
    ['#thin', false, 300, 10, GREEN],
    ['#inner', false, 400, 50, BLUE],
    ['#lazy', false, 50, 50, GREEN],
    ['#broad', true, 3000, 200, GREEN],
  ])('is the whole picture, wherever it is: %s', async (element, fullPage, width, height, colour) => {
    const shown = await look(take('/boxes#far', { element, fullPage }))
    expect([shown.width, shown.height]).toEqual([width, height])
    expect([shown.at(0, 0), shown.at(width - 1, height - 1)]).toEqual([colour, colour])
  })

  test.each([
    ['#nobody', 'There is no element #nobody on the page.'],
    ['#flat', 'The element #flat is not visible. It has no size, is hidden, or is outside the page.'],
    ['[[', '[[ is not a valid CSS selector.'],
  ])('that is missing, or has no size, fails: %s', async (element, message) => {
    const error = await failureOf(take('/boxes', { element, loadingTime: TO_BE_SURE }))
    expect(error).toMatchObject({ reason: 'element', message })
  })

  test('is cut if it is larger than a picture may be', async () => {
    const own = openTestCamera({ allow: `site.test:${site.port}`, limits: { pixels: 30_000 } })
    try {
      const shot = await own.take(`http://site.test:${site.port}/boxes`, {
        element: '#near',
        loadingTime: FOREVER,
      })
      expect(shot.seen.marks).toEqual(['cut'])
      expect(await look(Promise.resolve(shot))).toMatchObject({ width: 300, height: 100 })
    } finally {
      await own.close()
    }
  })
})
