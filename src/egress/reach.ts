import type { Socket } from 'node:net'
import { connectToFirst, MAX_ATTEMPTS } from './connect.ts'
import { EgressError } from './failure.ts'
import type { FindObstacle, Obstacle } from './obstacles.ts'
import type { Resolve } from './resolve.ts'
import { nameTarget, type Target } from './target.ts'

/** Connects to a target, or throws an EgressError that says why it cannot. */
export type Reach = (target: Target, signal: AbortSignal) => Promise<Socket>

/** Where a name leads, whatever DNS says. */
export interface FixedAddress {
  readonly address: string
  readonly port: number
}

export interface ReachRules {
  /** The sender, and the setting that allows a target: for sentences. */
  readonly who: 'captured pages' | 'webhooks'
  readonly setting: 'CAPTURE_ALLOW' | 'WEBHOOK_ALLOW'
  readonly findObstacle: FindObstacle
  readonly resolve: Resolve
  readonly fixedAddresses: ReadonlyMap<string, FixedAddress>
  readonly connectMs: number
}

/** A name is looked up once: it connects to the very addresses that it checked. */
export function createReach(rules: ReachRules): Reach {
  const { findObstacle, resolve, fixedAddresses, connectMs } = rules
  return async (target, signal) => {
    const { host, isAddress, port } = target
    const fixed = fixedAddresses.get(host)
    if (fixed) return connectToFirst([fixed.address], fixed.port, connectMs, signal)
    const addresses = isAddress ? [host] : await resolve(host, signal)
    const allowed: string[] = []
    let first: Obstacle | undefined
    for (const address of addresses) {
      const obstacle = await findObstacle(target, address)
      first ??= obstacle
      if (!obstacle) allowed.push(address)
      if (allowed.length === MAX_ATTEMPTS) break
    }
    if (allowed.length === 0) throw explain(target, first, rules)
    return connectToFirst(allowed, port, connectMs, signal)
  }
}

function explain(target: Target, obstacle: Obstacle | undefined, { who, setting }: ReachRules): EgressError {
  const { host, isAddress } = target
  if (!obstacle) return new EgressError('dns', `${host} has no address in DNS`)
  // The address itself is not told: clients must not find out the addresses of a private network.
  const leads = isAddress ? `${host} is` : `${host} leads to`
  const wayOut =
    obstacle.denied && isAddress
      ? 'To allow it, remove it from CAPTURE_DENY.'
      : `To allow it, start proofsheet with ${setting}=${nameTarget(target)} (entries are separated by commas).`
  return new EgressError('blocked', `${leads} ${obstacle.kind}, which ${who} may not reach. ${wayOut}`)
}
