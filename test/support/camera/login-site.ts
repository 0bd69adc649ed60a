import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Login } from '../../../src/contract/options/steps.ts'
import { type Handler, HTML, paint } from './camera.ts'

export const USER = 'ada@example.com'
export const PASSWORD = 's3cret-§-of Ada'

export const LOGIN: Login = {
  username: { elementId: '#email', username: USER },
  password: { elementId: '#password', password: PASSWORD },
  loginButton: { elementId: 'button[type=submit]' },
}

/** The login of another user. */
export const WRONG: Login = { ...LOGIN, password: { ...LOGIN.password, password: 'not-the-s3cret' } }

/**
 * Pages that are shown only after a login: session cookie, CSRF field, a redirect to the form and one to the home page. A page
 * without a session is red, one with it has the given colour.
 */
export function loginPages(
  colours: Readonly<Record<string, string>>,
  { home = '/home' }: { home?: string } = {},
): Record<string, string | Handler> {
  const sessions = new Set<string>()
  const tokens = new Set<string>()
  const form = (said = '') => {
    const token = randomUUID()
    tokens.add(token)
    return paint(
      '#ff0000',
      `<title>Log in</title><form method=post action=/login><p>${said}</p><input type=hidden name=csrf value=${token}>
        <input id=email name=email type=email required><input id=password name=password type=password>
        <button type=submit>Log in</button></form>`,
    )
  }
  const isIn = (asked: IncomingMessage) =>
    sessions.has(/session=([\w-]+)/.exec(asked.headers.cookie ?? '')?.[1] ?? '')
  const behind =
    (colour: string): Handler =>
    (answer, asked) =>
      isIn(asked)
        ? void answer.writeHead(200, HTML).end(paint(colour, '<title>Inside</title>'))
        : void answer.writeHead(302, { location: '/login' }).end()
  return {
    ...Object.fromEntries(Object.entries(colours).map(([path, colour]) => [path, behind(colour)])),
    '/home': behind('#ff00ff'),
    '/login': async (answer, asked) => {
      if (asked.method !== 'POST') return void answer.writeHead(200, HTML).end(form())
      const given = new URLSearchParams(await text(asked))
      const isRight = given.get('email') === USER && given.get('password') === PASSWORD
      if (!tokens.delete(given.get('csrf') ?? '') || !isRight) {
        return void answer.writeHead(401, HTML).end(form('Wrong user name or password'))
      }
      const session = randomUUID()
      sessions.add(session)
      answer.writeHead(303, { location: home, 'set-cookie': `session=${session}; HttpOnly; Path=/` }).end()
    },
  }
}
