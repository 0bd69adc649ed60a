import type { Query } from './reads.ts'

const AGAIN_MS = 60_000
/** Less than that does no harm: a lease is ten times as long. */
const HARMLESS_MS = 2_000

/**
 * By how much the server's clock is ahead of this machine's. Leases are read by other machines, and whose clock goes wrong
 * must neither lose its pages to them nor take theirs.
 */
export function createClockSkew(query: Query): () => Promise<number> {
  let known: { readonly ms: number; readonly at: number } | undefined
  return async () => {
    if (known && performance.now() - known.at < AGAIN_MS) return known.ms
    const before = Date.now()
    const rows = await query('select (extract(epoch from clock_timestamp()) * 1000)::bigint')
    const [[server] = [before]] = rows as [number][]
    const after = Date.now()
    // An answer may take its time: somewhere in between the server looked at its clock.
    const ms = server < before ? server - before : Math.max(0, server - after)
    known = { ms: Math.abs(ms) < HARMLESS_MS ? 0 : ms, at: performance.now() }
    return known.ms
  }
}
