import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GivenKey } from '../../access/keys.ts'
import { MAX_SESSION_KEYS, newSessionId } from '../../access/sessions.ts'
import { type Session, SignIn } from '../../contract/access.ts'
import { paths } from '../../contract/paths.ts'
import { AppError, requireValid } from '../../errors.ts'
import { header, json } from '../answers/responses.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'
import type { RefuseKey } from '../rules/authentication.ts'
import { readSessionCookie, setSessionCookie } from '../rules/session-cookie.ts'
import { toKey } from './keys.ts'

/** For signing in and out: the cookie of the answer. */
const signedAnswer = json('The current session.', 'Session', {
  'Set-Cookie': header('HttpOnly and SameSite=Strict. Removed if the session has no keys left.'),
})

export function session(declare: Declare, context: HttpContext, refuse: RefuseKey): void {
  const { clock, config, keys, sessions } = context
  const describe = (keys: readonly GivenKey[]) => describeSession(keys, context)
  declare({
    id: 'getSession',
    summary: 'Get the current session',
    description:
      'The keys that this request was sent with: that of its header, or those of its cookie. The list may be empty.',
    access: 'session',
    path: paths.session,
    answers: { 200: json('The current session.', 'Session') },
    run: async (request, reply) =>
      await reply.header('cache-control', 'no-store').send(describe(request.keys ?? [])),
  })
  declare({
    id: 'signIn',
    summary: 'Sign in with a key',
    description:
      'For web pages: adds the key to the session of the browser, which is a cookie that scripts cannot read. ' +
      `A session has at most ${MAX_SESSION_KEYS} keys. It ends after thirty days, or when its keys are revoked. \`stay\` applies to all of its keys.`,
    access: 'session',
    method: 'POST',
    path: paths.session,
    isPaced: true,
    body: { schema: 'SignIn', read: (json) => requireValid(SignIn, json) },
    answers: { 200: signedAnswer },
    fails: ['conflict'],
    async run(request, reply, { key, stay }) {
      if (config.auth !== 'keys') throw new AppError('bad_request', 'this service requires no key')
      const given = await keys.find(key.trim())
      if (!given) return refuse(request, reply, 'this key is not valid')
      const now = clock()
      const session = sessions.open(readSessionCookie(request, context), now)
      // Keys that were revoked do not count.
      const live = await keys.findOf(session)
      const others = live.filter(({ hash }) => hash !== given.hash)
      if (others.length >= MAX_SESSION_KEYS) {
        throw new AppError(
          'conflict',
          `a session has at most ${MAX_SESSION_KEYS} keys: sign out with one of them first`,
        )
      }
      const kept = session.keys.filter(({ hash }) => others.some((other) => other.hash === hash))
      const stays = stay ?? session.stays
      // A session that has ended is not continued.
      const id = live.length > 0 ? session.id : newSessionId()
      const text = sessions.seal({ id, stays, keys: [...kept, { hash: given.hash, given: now }] })
      setSessionCookie(request, reply, { text, stays, context })
      logAct(request, 'signed in', { key: given.key.keyId })
      return await reply.header('cache-control', 'no-store').send(describe([...others, given]))
    },
  })
  for (const one of [
    { id: 'signOut', summary: 'Sign out', path: paths.session },
    { id: 'signOutKey', summary: 'Sign out with one key', path: paths.sessionKey },
  ])
    declare({
      ...one,
      description:
        'The session ends: its cookie is refused from now on, by every instance. The key itself stays valid.',
      access: 'session',
      method: 'DELETE',
      isPaced: true,
      answers: { 200: signedAnswer },
      fails: ['storage_full'] as const,
      async run(request, reply) {
        const { found, left } = await signOut(request, reply, context)
        for (const { key } of found.filter((each) => !left.includes(each)))
          logAct(request, 'signed out', { key: key.keyId })
        return await reply.header('cache-control', 'no-store').send(describe(left))
      },
    })
}

/** With all keys of the session, or with the one that the address names. */
async function signOut(request: FastifyRequest, reply: FastifyReply, context: HttpContext) {
  const { clock, keys, sessions } = context
  const { keyId } = request.params as { keyId?: string }
  const cookie = readSessionCookie(request, context)
  const { id, stays, keys: before } = sessions.open(cookie, clock())
  const found = await keys.findOf({ id, keys: before })
  const left = keyId === undefined ? [] : found.filter(({ key }) => key.keyId !== keyId)
  const kept = before.filter(({ hash }) => left.some((other) => other.hash === hash))
  // The old cookie has all keys. The other keys continue in a new session.
  const isOver = keyId === undefined || left.length < found.length
  if (isOver)
    await sessions.end(cookie).catch((error) => {
      // A session that opens nothing can be forgotten, even if nothing can be written.
      if (found.length > 0) throw error
    })
  const next = { id: isOver ? newSessionId() : id, stays, keys: kept }
  const text = kept.length > 0 ? sessions.seal(next) : ''
  setSessionCookie(request, reply, { text, stays, context })
  return { found, left }
}

function describeSession(keys: readonly GivenKey[], { config }: HttpContext): Session {
  return {
    auth: config.auth === 'keys' ? 'keys' : 'open',
    keys: keys.map(({ key }) => toKey(key)),
    isAdmin: config.auth === 'keys' ? keys.some(({ key }) => key.scope === 'admin') : config.auth === 'open',
  }
}
