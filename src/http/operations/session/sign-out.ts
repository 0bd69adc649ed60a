import { newSessionId } from '../../../access/sessions.ts'
import { KeyParams } from '../../../contract/access.ts'
import { paths } from '../../../contract/paths.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { readSessionCookie, setSessionCookie } from '../../rules/session-cookie.ts'
import { describeSession, signedResponse } from './describe-session.ts'

/** With all keys of the session, or with one of them. */
export function signOut(server: Server, context: HttpContext): void {
  const { keys, sessions, clock } = context
  for (const [url, operationId, summary, params] of [
    [paths.session, 'signOut', 'Sign out', undefined],
    [paths.sessionKey, 'signOutKey', 'Sign out with one key', KeyParams],
  ] as const) {
    server.route({
      method: 'DELETE',
      url,
      config: { access: 'session', isPaced: true },
      schema: {
        operationId,
        tags: ['Access'],
        summary,
        description:
          'The session ends: its cookie is refused from now on, by every instance. The key stays valid for others who have it.',
        ...(params && { params }),
        response: {
          200: signedResponse,
          ...problemResponses('unauthorized', 'forbidden', 'rate_limited', 'unavailable', 'storage_full'),
        },
      },
      handler: async (request, reply) => {
        const { keyId } = request.params as { keyId?: string }
        const cookie = readSessionCookie(request, context)
        const { id, stays, keys: before } = sessions.open(cookie, clock())
        const found = await keys.findOf({ id, keys: before })
        const left = keyId === undefined ? [] : found.filter(({ key }) => key.keyId !== keyId)
        const kept = before.filter(({ hash }) => left.some((other) => other.hash === hash))
        // The cookie of before has all keys. The others go on in a session of their own.
        const isOver = keyId === undefined || left.length < found.length
        if (isOver)
          await sessions.end(cookie).catch((error) => {
            // A session that opens nothing any more can be forgotten, also if nothing can be written.
            if (found.length > 0) throw error
          })
        const next = { id: isOver ? newSessionId() : id, stays, keys: kept }
        const text = kept.length > 0 ? sessions.seal(next) : ''
        setSessionCookie(request, reply, { text, stays, context })
        for (const { key } of found.filter((each) => !left.includes(each)))
          logAct(request, 'signed out', { key: key.keyId })
        return await reply.header('cache-control', 'no-store').send(describeSession(request, context, left))
      },
    })
  }
}
