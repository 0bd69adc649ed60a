import type { Query } from './reads.ts'

const AGAIN_MS = 60_000
/** A smaller difference does no harm: due times need not be exact. */
const HARMLESS_MS = 2_000

/**
 * How far the clock of the server is ahead of the clock of this machine. It notices when that clock jumps, by comparing it
 * with monotonic time. Other machines read the due times: a wrong clock on one machine must not make them wait.
 */
export function createClockSkew(query: Query): () => Promise<number> {
  let known: { readonly ahead: number; readonly at: number } | undefined
  const measure = async () => {
    const before = Date.now()
    const rows = await query('select (extract(epoch from clock_timestamp()) * 1000)::bigint')
    const [[server] = [before]] = rows as [number][]
    const after = Date.now()
    // The server read its clock at some time between `before` and `after`.
    const skew = server < before ? server - before : Math.max(0, server - after)
    const at = performance.now()
    return { ahead: after + skew - at, at }
  }
  return async () => {
    if (!known || performance.now() - known.at > AGAIN_MS) known = await measure()
    const ms = Math.round(known.ahead + performance.now()) - Date.now()
    return Math.abs(ms) < HARMLESS_MS ? 0 : ms
  }
}
