import type { Query } from './reads.ts'

const AGAIN_MS = 60_000
/** Less than that does no harm: nothing is due to the second. */
const HARMLESS_MS = 2_000

/**
 * By how much the server's clock is ahead of this machine's, also when that has just jumped: in between it is reckoned by
 * monotonic time. Due times are read by other machines, and whose clock goes wrong must not make them wait.
 */
export function createClockSkew(query: Query): () => Promise<number> {
  let known: { readonly ahead: number; readonly at: number } | undefined
  const measure = async () => {
    const before = Date.now()
    const rows = await query('select (extract(epoch from clock_timestamp()) * 1000)::bigint')
    const [[server] = [before]] = rows as [number][]
    const after = Date.now()
    // An answer may take its time: somewhere in between the server looked at its clock.
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
