import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../../src/contract/access.ts'
import { client } from './session.ts'

/** Read once for a document: signing in and out load it again. */
let reading: Promise<Session> | undefined
let known: Session | undefined

export interface KnownSession {
  readonly session: Session | undefined
  readonly failure: unknown
}

/** The session of the user. Undefined until the service has answered. */
export function useSession(): KnownSession {
  const [answer, setAnswer] = useState<KnownSession>({ session: known, failure: undefined })
  useEffect(() => {
    if (answer.session) return
    // It may have come since this was rendered.
    reading ??= client.getSession()
    reading.then(
      (session) => {
        known = session
        setAnswer({ session, failure: undefined })
      },
      (failure) => {
        reading = undefined
        setAnswer({ session: undefined, failure })
      },
    )
  }, [])
  return answer
}

/** Whether one of the keys may change something in this project. */
export function mayWrite(session: Session | undefined, projectId: string): boolean {
  if (!session) return false
  if (session.auth === 'open') return true
  return session.keys.some(
    ({ scope, projectId: its }) => scope === 'admin' || (scope === 'write' && its === projectId),
  )
}
