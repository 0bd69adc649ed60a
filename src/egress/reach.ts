import type { Socket } from 'node:net'
import { connectToFirst, MAX_ATTEMPTS } from './connect.ts'
import { EgressError } from './failure.ts'
import type { FindObstacle, Obstacle } from './obstacles.ts'
import type { Resolve } from './resolve.ts'
import { nameTarget, type Target } from './target.ts'

/** Connects to where a target leads, or throws an EgressError that says why not. */
export type Reach = (target: Target, signal: AbortSignal) => Promise<Socket>

export interface Place {
  readonly address: string
  readonly port: number
}

export interface ReachRules {
  readonly findObstacle: FindObstacle
  readonly resolve: Resolve
  readonly places: ReadonlyMap<string, Place>
  readonly connectMs: number
}

/** A name is looked up once: the addresses that were checked are the ones that are connected to. */
export function createReach({ findObstacle, resolve, places, connectMs }: ReachRules): Reach {
  return async (target, signal) => {
    const { host, isAddress, port } = target
    const place = places.get(host)
    if (place) return connectToFirst([place.address], place.port, connectMs, signal)
    const addresses = isAddress ? [host] : await resolve(host, signal)
    const permitted: string[] = []
    let first: Obstacle | undefined
    for (const address of addresses) {
      const obstacle = await findObstacle(target, address)
      first ??= obstacle
      if (!obstacle) permitted.push(address)
      if (permitted.length === MAX_ATTEMPTS) break
    }
    if (permitted.length === 0) throw explain(target, first)
    return connectToFirst(permitted, port, connectMs, signal)
  }
}

function explain(target: Target, obstacle: Obstacle | undefined): EgressError {
  const { host, isAddress } = target
  if (!obstacle) return new EgressError('dns', `${host} has no address in DNS`)
  // Not to which one: whoever asks for captures is not to learn the names of a private network.
  const leads = isAddress ? `${host} is` : `${host} leads to`
  const wayOut =
    obstacle.denied && isAddress
      ? 'To permit it, take it out of CAPTURE_DENY.'
      : `To permit it, set CAPTURE_ALLOW=${nameTarget(target)} where proofsheet is started, or add it there behind a comma.`
  return new EgressError(
    'blocked',
    `${leads} ${obstacle.kind}, which captured pages may not reach. ${wayOut}`,
  )
}
