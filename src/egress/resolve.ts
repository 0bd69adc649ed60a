import { lookup } from 'node:dns/promises'
import type { Limiter } from '../work/limiter.ts'
import { EgressError } from './failure.ts'

/** The addresses of a name. Rejects with what the system says (ENOTFOUND, EAI_AGAIN …). */
export type Lookup = (name: string) => Promise<readonly string[]>

export const systemLookup: Lookup = async (name) =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address)

export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Look-ups of one gate. Requests for a name that is already being looked up share the answer. Each request waits
 * at most `patienceMs`. A look-up cannot be cancelled, so it counts against the limit until it ends.
 */
export function createResolve(look: Lookup, limit: Limiter, patienceMs: number): Resolve {
  const underWay = new Map<string, ReturnType<typeof begin>>()

  const begin = (name: string) => {
    const lookUp = async () => {
      // No request waits for it any more: do not look it up.
      if (own.waiting === 0) throw new Error('nobody waits')
      return await look(name)
    }
    // Starts later, so that the request that begins it is counted first.
    const answer = Promise.resolve().then(() => limit(lookUp))
    const own = { answer, waiting: 0 }
    const end = () => void underWay.delete(name)
    answer.then(end, end)
    underWay.set(name, own)
    return own
  }

  return async (name, signal) => {
    const shared = underWay.get(name) ?? begin(name)
    shared.waiting++
    const given = Promise.withResolvers<never>()
    const giveUp = () => given.reject(new EgressError('dns', `${name} was not looked up in time`))
    const timer = setTimeout(giveUp, patienceMs)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    try {
      return await Promise.race([shared.answer, given.promise])
    } catch (error) {
      throw error instanceof EgressError ? error : new EgressError('dns', explain(name, error))
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      shared.waiting--
    }
  }
}

function explain(name: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOTFOUND') return `${name} has no address in DNS`
  return `${name} could not be looked up (${code ?? 'unknown error'})`
}
