import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Login } from '../../../src/contract/options/steps.ts'
import { servePages } from './pages.ts'

// A site with pages that lead a login elsewhere, and the other site, which records everything it gets.

export const loginWith = (user: string, password: string, more: Partial<Login> = {}): Login => ({
  username: { elementId: '#user', username: user },
  password: { elementId: '#password', password },
  loginButton: { elementId: '#login' },
  ...more,
})

const FIELDS = '<input id=user name=user><input id=password name=password type=password>'
const BUTTON = '<button id=login>Log in</button>'
const form = (attributes: string, button = BUTTON, more = '') =>
  `<!doctype html><title>Log in</title><form method=post ${attributes}>${FIELDS}${button}</form>${more}`
const moved = (location: string, status = 302) => ({ status, location })

type Answer = string | { status: number; location: string; afterMs?: number } | { sandboxed: string }

/** Places that must not get the login. `away` is a URL of the other site, which shows a form. */
const attacks = (away: string, otherName: string): Record<string, Answer> => ({
  '/redirect': moved(away),
  '/meta': `<meta http-equiv=refresh content="0;url=${away}">`,
  '/script': `<script>location = '${away}'</script>`,
  '/script-later': form(
    'action=/in',
    BUTTON,
    `<script>onload = () => setTimeout(() => { location = '${away}' }, 900)</script>`,
  ),
  '/action': form(`action="${away}"`),
  '/formaction': form('action=/in', `<button id=login formaction="${away}">Log in</button>`),
  '/image': form(
    'action=/in',
    `<input type=image alt=go id=login formaction="${away}" style="width:9px;height:9px">`,
  ),
  '/label': form(
    'action=/in',
    `<label id=login for=b>Log in</label><button id=b formaction="${away}">x</button>`,
  ),
  '/inner': form('action=/in', `<button formaction="${away}"><b id=login>Log in</b></button>`),
  '/base': `<base href="${away}">${form('action=in')}`,
  '/clobbered': form(`action="${away}"`, BUTTON, '').replace(
    FIELDS,
    `${FIELDS}<input name=action type=hidden><input name=getAttribute type=hidden>`,
  ),
  '/by-form-attribute': `<form id=f method=post action="${away}"></form>
    ${FIELDS.replaceAll('name=', 'form=f name=')}<button id=login form=f>Log in</button>`,
  '/two-forms': `<form method=post action="${away}"><input id=user name=user></form>
    <form method=post action=/in><input id=password name=password type=password>${BUTTON}</form>`,
  '/posted-again': form('action=/keep'),
  '/posted-again-for-good': form('action=/keep308'),
  '/in-the-address': form('action=/pass-on').replace('method=post', 'method=get'),
  '/frame': `<iframe src="${away}"></iframe>`,
  '/frame-of-another-site': `<iframe src="${otherName}"></iframe>`,
  '/into-frame': form('action=/keep target=inner', BUTTON, '<iframe name=inner></iframe>'),
  '/into-foreign-frame': form(
    'action=/keep target=inner',
    BUTTON,
    `<iframe name=inner src="${otherName}"></iframe>`,
  ),
  '/window': form('action=/keep target=_blank'),
  '/named-window': form('action=/keep target=other'),
  '/window-at-last': form(
    'action=/keep',
    BUTTON,
    '<script>onsubmit = () => { document.forms[0].target = "_blank" }</script>',
  ),
  '/base-window': `<base target=_blank>${form('action=/keep')}`,
  '/changes-action': form(
    'action=/in',
    BUTTON,
    `<script>password.oninput = () => { document.forms[0].action = '${away}' }</script>`,
  ),
  '/changes-at-last': form(
    'action=/in',
    BUTTON,
    `<script>onsubmit = () => { document.forms[0].action = '${away}' }</script>`,
  ),
  '/leaves-between': form(
    'action=/in',
    BUTTON,
    `<script>user.oninput = () => { location = '${away}' }</script>`,
  ),
  '/hides-and-waits': form(
    'action=/keep-slowly',
    BUTTON,
    '<script>onsubmit = () => setTimeout(() => { document.forms[0].hidden = true })</script>',
  ),
  '/sandboxed': { sandboxed: form(`action=/keep`) },
  '/readable': form('action=/in').replace(' type=password', ''),
  // Targets of the pages above.
  '/keep': moved(away, 307),
  '/keep308': moved(otherName, 308),
  '/keep-slowly': { ...moved(away, 307), afterMs: 12_000 },
})

/**
 * A page that hides its form after the login, with the typed values, and shows it again on a click. It is then green if the fields
 * are empty, and red if not.
 */
export const HIDES_ITS_FORM = `<!doctype html><title>Hidden</title><form>${FIELDS}${BUTTON}</form><button id=show>Show</button>
  <style>.gone { display: none }</style><script>
  const form = document.forms[0]
  form.onsubmit = () => { form.className = 'gone'; return false }
  show.onclick = () => {
    form.className = ''
    password.type = 'text'
    document.documentElement.style.background = user.value + password.value === '' ? '#00ff00' : '#ff0000'
  }</script>`

/** Pages in between, which no attack begins with. */
const STEPS = ['/keep', '/keep308', '/keep-slowly']

/** A session that has logged in stays logged in. */
function showForm(
  response: ServerResponse,
  { headers: { cookie = '' } }: IncomingMessage,
  isIn: boolean,
): void {
  if (isIn) response.setHeader('set-cookie', 'in=1')
  response.end(isIn || cookie.includes('in=1') ? '<title>Inside</title>In' : form('action=/in'))
}

export async function serveAttacks() {
  const received: string[] = []
  const other = createServer(async (request, response) => {
    const { method, url, headers } = request
    received.push(JSON.stringify([method, url, headers, await text(request)]))
    response.setHeader('content-type', 'text/html')
    showForm(response, request, method === 'POST')
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => {
    other.close()
    other.closeAllConnections()
  })
  const { port } = other.address() as AddressInfo
  const away = `http://127.0.0.1:${port}`
  const otherName = `http://localhost:${port}`
  const pages = attacks(`${away}/form`, `${otherName}/form`)
  const send = (response: ServerResponse, answer: Answer) => {
    if (typeof answer === 'string') return void response.end(answer)
    if ('sandboxed' in answer) {
      response.setHeader('content-security-policy', 'sandbox allow-forms allow-scripts')
      return void response.end(answer.sandboxed)
    }
    const { status, location, afterMs = 0 } = answer
    setTimeout(() => response.writeHead(status, { location }).end(), afterMs)
  }
  const site = await servePages(async (path, response, request) => {
    const { pathname, search } = new URL(path, 'http://site')
    const sent = await text(request)
    const page = pages[pathname]
    if (pathname === '/pass-on') send(response, moved(`${away}/form${search}`))
    else if (page !== undefined) send(response, page)
    else if (pathname === '/hides') response.end(HIDES_ITS_FORM)
    else showForm(response, request, sent.includes('password='))
  })
  return {
    ...site,
    away,
    otherName,
    allow: [`127.0.0.1:${site.port}`, `127.0.0.1:${port}`, `localhost:${port}`].join(','),
    paths: Object.keys(pages).filter((path) => !STEPS.includes(path)),
    /** Everything that the other site received. */
    received,
  }
}
