import { isIP, type Socket } from 'node:net'
import { findForbiddenKind, isPublicAddress } from './addresses.ts'
import type { AllowList } from './allow-list.ts'
import { connectToFirst } from './connect.ts'
import { EgressError } from './failure.ts'
import type { Resolve } from './resolve.ts'
import { nameTarget, type Target } from './target.ts'

/** Connects to where a target leads, or throws an EgressError that says why not. */
export type Reach = (target: Target, signal: AbortSignal) => Promise<Socket>

export interface Place {
  readonly address: string
  readonly port: number
}

export interface ReachRules {
  readonly allow: AllowList
  readonly resolve: Resolve
  readonly places: ReadonlyMap<string, Place>
  readonly connectMs: number
}

/** A name is looked up once: the addresses that were checked are the ones that are connected to. */
export function createReach({ allow, resolve, places, connectMs }: ReachRules): Reach {
  const isPermitted = ({ host, port }: Target, address: string) =>
    isPublicAddress(address) ||
    allow.permitsAddress(address, port) ||
    // A permitted name may lead anywhere, but to an address: connecting to a name would look it up again.
    (isIP(address) !== 0 && allow.permitsName(host, port))

  return async (target, signal) => {
    const { host, isAddress, port } = target
    const place = places.get(host)
    if (place) return connectToFirst([place.address], place.port, connectMs, signal)
    const addresses = isAddress ? [host] : await resolve(host, signal)
    const permitted = addresses.filter((address) => isPermitted(target, address))
    if (permitted.length === 0) throw explain(target, addresses)
    return connectToFirst(permitted, port, connectMs, signal)
  }
}

function explain(target: Target, [address]: readonly string[]): EgressError {
  const { host, isAddress } = target
  if (address === undefined) return new EgressError('dns', `${host} has no address in DNS`)
  // Not to which one: whoever asks for captures is not to learn the names of a private network.
  const leads = isAddress ? `${host} is` : `${host} leads to`
  return new EgressError(
    'blocked',
    `${leads} ${findForbiddenKind(address)}, which captured pages may not reach. ` +
      `To permit it, set CAPTURE_ALLOW=${nameTarget(target)} where proofsheet is started, or add it there behind a comma.`,
  )
}
