import { Resolver } from 'node:dns/promises'
import { createLimiter } from '../work/limiter.ts'
import { type Lookup, systemLookup } from './resolve.ts'

/** The system's look-up holds one of libuv's four threads. Pages use up to three, so only one is left. */
const SYSTEM_LOOKUPS = 1
const PATIENCE = { timeout: 2_000, tries: 2 }
/** The server did not answer: the system would wait for it, too, and keep others waiting. */
const SILENT = ['ETIMEOUT', 'ECANCELLED']

type Ask = (name: string) => Promise<string[]>

export interface ApartRules {
  readonly ask4: Ask
  readonly ask6: Ask
  readonly system: Lookup
}

/**
 * Asks DNS directly, which holds no thread: any number of names can be looked up at a time. Names that DNS does not know
 * may be known to the system, from its file of hosts.
 */
export function createLookUpApart({ ask4, ask6, system }: ApartRules): Lookup {
  const limit = createLimiter(SYSTEM_LOOKUPS)
  return async (name) => {
    const answers = await Promise.allSettled([ask4(name), ask6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const silent = answers.find(
      (answer) => answer.status === 'rejected' && SILENT.includes(answer.reason?.code),
    )
    if (silent?.status === 'rejected') throw silent.reason
    return await limit(() => system(name))
  }
}

const resolver = new Resolver(PATIENCE)

export const lookUpApart: Lookup = createLookUpApart({
  ask4: (name) => resolver.resolve4(name),
  ask6: (name) => resolver.resolve6(name),
  system: systemLookup,
})
