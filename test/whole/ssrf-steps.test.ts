// @module-tag browser

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lookup } from '../support/camera/attacks.ts'
import { openTestCamera, paint, serveSite, type Wanted } from '../support/camera/camera.ts'
import { openCanary } from '../support/camera/canary.ts'
import { LOGIN, loginPages } from '../support/camera/login-site.ts'
import { useServer } from '../support/servers/use-servers.ts'

// Steps before the picture reach no private address either: clicks, logins, the pages behind them, and added styles.

const ATTACKER = 'attack.localhost'

const canary = useServer(openCanary)
const cage = (name: string) => `http://127.0.0.1:${canary.port}/${name}`
const form = (action: string, more = '') =>
  paint(
    '#00ff00',
    `<form method=post action="${action}"><input id=email name=email><input id=password name=password type=password>
      <button type=submit>go</button></form>${more}`,
  )

const site = useServer(() =>
  serveSite({
    ...loginPages({ '/behind': '#00ff00' }, { home: cage('after-login') }),
    '/clicks': paint(
      '#00ff00',
      `<a id=new target=_blank href="${cage('new-window')}">a</a><button id=fetch>b</button><button id=open>c</button>
      <button id=frame>d</button><a id=ping href="#a" ping="${cage('ping')}">e</a><a id=link href="${cage('link')}">f</a><script>
      document.getElementById('fetch').onclick = () => void window.fetch('${cage('fetch')}', { mode: 'no-cors' })
      document.getElementById('open').onclick = () => void window.open('${cage('open')}')
      document.getElementById('frame').onclick = () => document.body.append(
        Object.assign(document.createElement('iframe'), { src: '${cage('frame')}' }))</script>`,
    ),
    '/form': form(cage('form')),
    '/script': form(
      '/nowhere',
      `<script>document.forms[0].onsubmit = () => { location = '${cage('script')}'; return false }</script>`,
    ),
    '/redirect': (answer, _, url) =>
      void answer.writeHead(307, { location: cage(url.searchParams.get('to') ?? '') }).end(),
    '/again': (answer, asked) =>
      asked.headers.cookie?.includes('seen')
        ? void answer.writeHead(302, { location: cage('again') }).end()
        : void answer
            .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'seen=1' })
            .end(form('/done')),
    '/done': paint('#00ff00'),
    '/styled': paint('#00ff00', '<p id=p>text</p><ul><li>x</ul>'),
  }),
)

const css =
  () => `@import "${cage('never-import')}"; @font-face { font-family: f; src: url(${cage('css-font')}) }
  body { font-family: f; background: url(${cage('css-background')}) } li { list-style-image: url(/redirect?to=css-redirect) }
  #p::before { content: url(//127.0.0.1:${canary.port}/css-content) }`

const ATTACKS: readonly [string, () => Wanted][] = [
  [
    '/clicks',
    () => ({
      clicks: ['#new', '#fetch', '#open', '#frame', '#ping', '#link'].map((elementId) => ({
        elementId,
        loadingTime: 1_000,
      })),
    }),
  ],
  ...['/behind', '/form', '/script', '/again'].map((path): [string, () => Wanted] => [
    path,
    // A login for this origin, too: otherwise it would not be sent there at all.
    () => ({ loginParameter: { ...LOGIN, origins: [cage('')] } }),
  ]),
  ['/styled', () => ({ css: css(), hide: [`p, x { background: url(${cage('never-hidden')}) } y`] })],
]
const WAYS =
  `fetch frame link after-login form script again css-font css-background css-redirect css-content`.split(' ')

/** The outcome of each capture. */
async function attack(allow: string): Promise<string[]> {
  const camera = openTestCamera({ allow: `${ATTACKER}:${site.port}${allow}`, lookup })
  onTestFinished(() => camera.close())
  const ends = ATTACKS.map(([path, wanted]) =>
    camera.take(`http://${ATTACKER}:${site.port}${path}`, { loadingTime: 60_000, ...wanted() }).then(
      () => 'taken',
      ({ reason }) => reason,
    ),
  )
  const all = await Promise.all(ends)
  await sleep(300)
  return all
}

describe('steps before the picture', () => {
  test('cannot reach this machine', async () => {
    expect(await attack('')).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'blocked', 'taken'])
    expect([...canary.asked]).toEqual([])
    expect([canary.connections(), canary.datagrams]).toEqual([0, 0])
  })

  test('do reach it if that is allowed: every way was tried', async () => {
    await attack(',127.0.0.0/8')
    expect(WAYS.filter((way) => !canary.asked.has(`/${way}`))).toEqual([])
  })
})
