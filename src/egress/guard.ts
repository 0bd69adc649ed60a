import { isIP } from 'node:net'
import { createLimiter } from '../limiter.ts'
import { type AllowList, type DenyList, parseDenyList } from './allow-list.ts'
import { type Gate, type GateLimits, openGate } from './gate.ts'
import { createObstacles } from './obstacles.ts'
import { createOwnAddresses, type Interfaces } from './own-addresses.ts'
import { createReach, type FixedAddress } from './reach.ts'
import { createResolve, type Lookup, systemLookup } from './resolve.ts'
import { canonicalHost } from './target.ts'

export type { EgressFailure, EgressReason } from './failure.ts'
export type { FixedAddress, Gate, GateLimits, Lookup }

/** Each look-up of the system holds one of libuv's four threads. One must stay free for files. */
const LOOKUPS = 3
const LOOKUPS_OF_A_GATE = 1
const CONNECT_MS = 10_000

export interface GuardRules {
  readonly allow: AllowList
  readonly deny?: DenyList
  /** Names and addresses under which others reach this service. They belong to it, even if no interface has them. */
  readonly ownHosts?: readonly string[]
  /** Default: the system's. */
  readonly lookup?: Lookup
  readonly interfaces?: Interfaces
  /** Names that lead to a fixed address on any port, whatever DNS says. */
  readonly fixedAddresses?: ReadonlyMap<string, FixedAddress>
  /** How long a look-up may take; a connection may take as long again. */
  readonly connectMs?: number
}

/** Lets a browser reach the public internet and nothing else. Each captured page gets a gate: its own forward proxy. */
export interface Guard {
  openGate(limits: GateLimits): Promise<Gate>
}

export function createGuard({
  allow,
  deny = parseDenyList(''),
  ownHosts = [],
  lookup: look = systemLookup,
  interfaces,
  fixedAddresses,
  connectMs = CONNECT_MS,
}: GuardRules): Guard {
  const limitAll = createLimiter(LOOKUPS)
  // The guard's own look-ups are not limited: slow names of pages must not delay them.
  const hosts = ownHosts.flatMap((host) => (isIP(host) === 0 ? (canonicalHost(host) ?? []) : host))
  const own = createOwnAddresses({ interfaces, hosts, lookup: look })
  const findObstacle = createObstacles({ allow, deny, own, lookup: look })
  const canonical = new Map(
    [...(fixedAddresses ?? [])].map(([name, fixed]) => [canonicalHost(name) ?? name, fixed]),
  )
  return {
    openGate(limits) {
      const limitOne = createLimiter(LOOKUPS_OF_A_GATE)
      const resolve = createResolve(look, (task) => limitOne(() => limitAll(task)), connectMs)
      return openGate(createReach({ findObstacle, resolve, fixedAddresses: canonical, connectMs }), limits)
    },
  }
}
