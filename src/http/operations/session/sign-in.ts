import { MAX_SESSION_KEYS, newSessionId } from '../../../access/sessions.ts'
import { SignIn } from '../../../contract/access.ts'
import { paths } from '../../../contract/paths.ts'
import { AppError } from '../../../errors.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import type { RefuseKey } from '../../rules/authentication.ts'
import { type ReadJson, requireValid } from '../../rules/read-json.ts'
import { readSessionCookie, setSessionCookie } from '../../rules/session-cookie.ts'
import { describeSession, signedResponse } from './describe-session.ts'

export function signIn(
  server: Server,
  { readJson, refuse }: { readJson: ReadJson; refuse: RefuseKey },
  context: HttpContext,
): void {
  const { config, keys, sessions, clock } = context
  server.route({
    method: 'POST',
    url: paths.session,
    config: { access: 'session', isPaced: true },
    schema: {
      operationId: 'signIn',
      tags: ['Access'],
      summary: 'Sign in with a key',
      description:
        'For web pages: adds the key to the session of the browser, which is a cookie that scripts cannot read. ' +
        `A session has at most ${MAX_SESSION_KEYS} keys. It ends after thirty days, or when its keys are revoked. \`stay\` is for all of its keys.`,
      body: { $ref: 'SignIn#' },
      response: {
        200: signedResponse,
        ...problemResponses(
          'bad_request',
          'unauthorized',
          'forbidden',
          'conflict',
          'too_large',
          'unsupported_media_type',
          'rate_limited',
          'unavailable',
        ),
      },
    },
    handler: async (request, reply) => {
      const { key, stay } = await readJson(request, reply, (body) => requireValid(SignIn, body))
      if (config.auth !== 'keys') throw new AppError('bad_request', 'this service asks for no key')
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
      return await reply
        .header('cache-control', 'no-store')
        .send(describeSession(request, context, [...others, given]))
    },
  })
}
