import { isIP } from 'node:net'
import { createTurns } from '../turns.ts'
import { type AllowList, type DenyList, parseDenyList } from './allow-list.ts'
import { type Gate, type GateLimits, openGate } from './gate.ts'
import { createObstacles } from './obstacles.ts'
import { createOwnAddresses, type Interfaces } from './own-addresses.ts'
import { createReach, type Place } from './reach.ts'
import { createResolve, type Lookup, systemLookup } from './resolve.ts'
import { canonicalHost } from './target.ts'

export type { EgressFailure, EgressReason } from './failure.ts'
export type { Gate, GateLimits, Lookup, Place }

/** Each look-up of the system holds one of libuv's four threads, and files need one too. */
const LOOKUPS = 3
const LOOKUPS_OF_A_GATE = 1
const CONNECT_MS = 10_000

export interface GuardRules {
  readonly allow: AllowList
  readonly deny?: DenyList
  /** How others reach this service: names and addresses, which are its own though no interface may have them. */
  readonly ownHosts?: readonly string[]
  /** Default: the system's. */
  readonly lookup?: Lookup
  readonly interfaces?: Interfaces
  /** Names that are answered at a fixed place whatever DNS says, on any port. */
  readonly places?: ReadonlyMap<string, Place>
  /** Patience for a look-up, and again for a connection. */
  readonly connectMs?: number
}

/** Lets a browser out to the public internet and nowhere else: a forward proxy for each job. */
export interface Guard {
  openGate(limits: GateLimits): Promise<Gate>
}

export function createGuard({
  allow,
  deny = parseDenyList(''),
  ownHosts = [],
  lookup: look = systemLookup,
  interfaces,
  places,
  connectMs = CONNECT_MS,
}: GuardRules): Guard {
  const turns = createTurns(LOOKUPS)
  // What the guard itself has to know is looked up out of turn: slow names of pages must not keep it from that.
  const hosts = ownHosts.flatMap((host) => (isIP(host) === 0 ? (canonicalHost(host) ?? []) : host))
  const own = createOwnAddresses({ interfaces, hosts, lookup: look })
  const findObstacle = createObstacles({ allow, deny, own, lookup: look })
  const canonical = new Map([...(places ?? [])].map(([name, place]) => [canonicalHost(name) ?? name, place]))
  return {
    openGate(limits) {
      const ownTurns = createTurns(LOOKUPS_OF_A_GATE)
      const resolve = createResolve(look, (task) => ownTurns(() => turns(task)), connectMs)
      return openGate(createReach({ findObstacle, resolve, places: canonical, connectMs }), limits)
    },
  }
}
