import { paths, pathTo } from '../../src/contract/paths.ts'
import { makeKey } from '../../test/support/store/results.ts'
import type { Attack, Setup, UnderWay } from './attack.ts'

const CLIENTS = 10
/** After a refusal, as in `attacker.ts`. */
const REFUSED_MS = 100
/** Attacks before have left pages waiting. */
const env = { CAPTURE_CONCURRENCY: '0' }

/** Does an act of several requests again and again, from this process. An act returns the status of its last answer. */
function loop(act: () => Promise<number>): UnderWay {
  const answers: Record<string, number> = {}
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const status = await act().catch(() => 'ended')
      answers[status] = (answers[status] ?? 0) + 1
      if (typeof status !== 'number' || status >= 400)
        await new Promise((resume) => setTimeout(resume, REFUSED_MS))
    }
  }
  const all = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    tell: async () => ({ ...answers }),
    async stop() {
      isOver = true
      await all
    },
  }
}

const send = (url: string, method: string, headers: Record<string, string>, body?: object) =>
  fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

/** Rows 25 and 26: keys that are made and revoked, people who sign in and out. */
export const people: readonly Attack[] = [
  {
    ...{ id: '25', env },
    what: 'keys that are made and revoked in a loop, 10 connections',
    async start({ world: { storage, attacker }, service }: Setup) {
      const { secret } = await makeKey(storage.store)
      const admin = { authorization: `Bearer ${secret}` }
      return loop(async () => {
        const asked = { scope: 'read', projectId: attacker.projectId, label: 'Again' }
        const made = await send(service.url + paths.keys, 'POST', admin, asked)
        const { keyId = '' } = (await made.json()) as { keyId?: string }
        return (await send(service.url + pathTo(paths.key, keyId), 'DELETE', admin)).status
      })
    },
  },
  {
    ...{ id: '26', env },
    what: 'signing in and out in a loop, 10 connections',
    async start({ world: { attacker }, service }: Setup) {
      const page = { 'sec-fetch-site': 'same-origin' }
      return loop(async () => {
        const url = service.url + paths.session
        const signed = await send(url, 'POST', page, { key: attacker.read, stay: true })
        await signed.arrayBuffer()
        const cookie = signed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
        const left = await send(url, 'DELETE', { ...page, cookie })
        await left.arrayBuffer()
        return left.status
      })
    },
  },
]
