import { Resolver } from 'node:dns/promises'
import { createLimiter } from '../work/limiter.ts'
import { type Gate, type GateLimits, openGate } from './gate.ts'
import { createObstacles, type ObstacleRules } from './obstacles.ts'
import { createReach, type FixedAddress, type Reach } from './reach.ts'
import { createResolve, type Lookup, systemLookup } from './resolve.ts'
import { canonicalHost } from './target.ts'

/** The system's look-up holds one of libuv's four threads. Pages use up to three, so only one is left. */
const SYSTEM_LOOKUPS = 1
const LOOKUP_PATIENCE = { timeout: 2_000, tries: 2 }
/** The server did not answer: the system would wait for it, too, and keep others waiting. */
const NO_ANSWER = ['ETIMEOUT', 'ECANCELLED']

export type { EgressFailure, EgressReason } from './failure.ts'
export type { FixedAddress, Gate, GateLimits, Lookup, Reach }

/** Each look-up of the system holds one of libuv's four threads. One must stay free for files. */
const LOOKUPS = 3
const LOOKUPS_OF_A_GATE = 1
const CONNECT_MS = 10_000

export interface GuardRules extends Omit<ObstacleRules, 'lookup'> {
  /** Default: the system's. */
  readonly lookup?: Lookup
  /** Names that lead to a fixed address on any port, whatever DNS says. */
  readonly fixedAddresses?: ReadonlyMap<string, FixedAddress>
  /** How long a look-up may take; a connection may take as long again. */
  readonly connectMs?: number
}

export type Guard = ReturnType<typeof createGuard>

/** Lets a browser reach the public internet and nothing else. Each captured page gets a gate: its own forward proxy. */
export function createGuard({ lookup: look = systemLookup, connectMs = CONNECT_MS, ...rules }: GuardRules) {
  const limitAll = createLimiter(LOOKUPS)
  const findObstacle = createObstacles({ ...rules, lookup: look })
  const canonical = new Map(
    [...(rules.fixedAddresses ?? [])].map(([name, fixed]) => [canonicalHost(name) ?? name, fixed]),
  )
  return {
    openGate(limits: GateLimits): Promise<Gate> {
      const limitOne = createLimiter(LOOKUPS_OF_A_GATE)
      const resolve = createResolve(look, (task) => limitOne(() => limitAll(task)), connectMs)
      const reach = createReach({
        ...{ who: 'captured pages', setting: 'CAPTURE_ALLOW' },
        ...{ findObstacle, resolve, fixedAddresses: canonical, connectMs },
      })
      return openGate(reach, limits)
    },
  }
}

/** The way of webhooks to the network, by the same rules. Look-ups do not wait for each other: a dead name delays no other. */
export function createWayOut({
  lookup: look = lookUpApart,
  connectMs = CONNECT_MS,
  ...rules
}: Omit<GuardRules, 'fixedAddresses'>): Reach {
  const findObstacle = createObstacles({ ...rules, lookup: look })
  const resolve = createResolve(look, (task) => task(), connectMs)
  return createReach({
    ...{ who: 'webhooks', setting: 'WEBHOOK_ALLOW' },
    ...{ findObstacle, resolve, fixedAddresses: new Map(), connectMs },
  })
}

const resolver = new Resolver(LOOKUP_PATIENCE)
const limitSystem = createLimiter(SYSTEM_LOOKUPS)

/**
 * Asks DNS directly, which holds no thread: any number of names can be looked up at a time. Names that DNS does not know
 * may be known to the system, from its file of hosts.
 */
const lookUpApart: Lookup = async (name) => {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found
  for (const answer of answers)
    if (answer.status === 'rejected' && NO_ANSWER.includes(answer.reason?.code)) throw answer.reason
  return await limitSystem(() => systemLookup(name))
}
