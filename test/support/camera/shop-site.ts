import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

// A made-up shop, captured for the picture in the README. Its orders are behind a login.

const SESSION = 'session=ada'

const page = (title: string, body: string) => `<!doctype html><html lang="en"><title>${title}</title><style>
  * { box-sizing: border-box }
  body { margin: 0; font: 16px/1.5 sans-serif; color: #1d2733; background: #f5f1e8 }
  header { display: flex; align-items: center; gap: 32px; padding: 20px 48px; background: #1f4d45; color: #f5f1e8 }
  header b { font-size: 22px; letter-spacing: .02em } header span { opacity: .8 } header em { margin-left: auto; font-style: normal }
  main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; padding: 32px 48px }
  section { padding: 24px; border-radius: 14px; background: #fff; box-shadow: 0 1px 3px #0002 }
  h1 { grid-column: 1 / -1; margin: 0; font-size: 30px } h2 { margin: 0; font-size: 15px; font-weight: 600; color: #5c6b78 }
  p { margin: 4px 0 0; font-size: 34px; font-weight: 700 } small { color: #3b8f5a; font-size: 15px }
  #menu { border: 0; border-radius: 8px; padding: 8px 16px; font: inherit; background: #e9b44c; color: #1d2733 }
  #panel { grid-column: 1 / -1; padding: 16px 24px; border-radius: 14px; background: #e9b44c }
  form { display: grid; gap: 12px; width: 320px; margin: 120px auto } input, button { padding: 10px; font: inherit }
</style>${body}`

const FORM = page(
  'Log in',
  `<form method="post" action="/login"><h1>Log in</h1><input id="email" name="email"><input id="password" name="password"
    type="password"><button id="login">Log in</button></form>`,
)

const ORDERS = page(
  'Orders',
  `<header><b>Fern &amp; Field</b><span>Orders</span><span>Plants</span><span>People</span><em>ada@example.com</em>
    <button id="menu" onclick="panel.hidden = false">This week</button></header>
  <main><h1>Good morning, Ada</h1><div id="panel" hidden>Three orders wait for their box. The van leaves at four.</div>
    <section><h2>Orders</h2><p>128 <small>+12 %</small></p></section>
    <section><h2>Plants sold</h2><p>342 <small>+8 %</small></p></section>
    <section><h2>Returned</h2><p>3 <small>−40 %</small></p></section></main>`,
)

/** Answers for the shop. Orders are shown only after a login. */
export function answerShop(path: string, response: ServerResponse, request: IncomingMessage): void {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  const isIn = request.headers.cookie?.includes(SESSION)
  if (path === '/login' && request.method === 'POST') void logIn(request, response)
  else if (path === '/login') response.end(FORM)
  else if (isIn) response.end(ORDERS)
  else response.writeHead(302, { location: '/login' }).end()
}

async function logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const given = new URLSearchParams(await text(request))
  if (given.get('email') !== 'a@b' || given.get('password') !== 's3cret') response.writeHead(401).end(FORM)
  else response.writeHead(303, { location: '/', 'set-cookie': `${SESSION}; HttpOnly` }).end()
}
