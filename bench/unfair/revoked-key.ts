import { paths, pathTo } from '../../src/contract/paths.ts'
import { makeKey } from '../../test/support/store/results.ts'
import { startService } from './service.ts'
import type { Special } from './table.ts'
import { addWaitingRoot } from './world.ts'

const LIMIT_S = 30
/** The target, in seconds, after a key was revoked. */
const TARGET_S = 5

/** Row 8: how long a stream stays open after its key was revoked. */
export const revokedKey: Special = {
  id: '8',
  what: 'an event stream whose key is revoked goes on',
  async measure(tree, { env, storage, attacker }) {
    const { projectId } = attacker
    const rootId = await addWaitingRoot(storage, attacker, { pages: 3, addressBytes: 50 })
    const key = await makeKey(storage.store, projectId)
    const service = await startService(tree, { ...env, CAPTURE_CONCURRENCY: '0' })
    const limit = new AbortController()
    try {
      const response = await fetch(service.url + pathTo(paths.watchStatus, projectId, rootId), {
        headers: { authorization: `Bearer ${key.secret}` },
        signal: limit.signal,
      })
      const reader = response.body?.getReader()
      await reader?.read()
      await storage.store.revokeKey(key.keyId, Date.now())
      const began = performance.now()
      const timer = setTimeout(() => limit.abort(), LIMIT_S * 1_000)
      const ended = (async () => {
        while (!(await reader?.read())?.done);
      })().catch(() => {})
      await ended
      clearTimeout(timer)
      const seconds = (performance.now() - began) / 1_000
      const figure = limit.signal.aborted ? `more than ${LIMIT_S} s` : `${seconds.toFixed(1)} s`
      return { note: figure, over: seconds > TARGET_S ? ['stream'] : [], figures: { seconds } }
    } finally {
      await service.kill()
    }
  },
}
