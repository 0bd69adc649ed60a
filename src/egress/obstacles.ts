import { isIP } from 'node:net'
import { findForbiddenKind } from './addresses.ts'
import type { AllowList, DenyList } from './allow-list.ts'
import { createKeptAnswer } from './kept-answer.ts'
import { findEmbedded, findPrefixes, IPV4_ONLY, type Nat64Prefix } from './nat64.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Lookup } from './resolve.ts'
import type { Target } from './target.ts'

/** A network keeps its translator for as long as it is what it is. No page waits long to hear that there is none. */
const TRANSLATORS = { freshMs: 3_600_000, retryMs: 60_000, patienceMs: 3_000 }

/** What keeps captured pages from an address. */
export interface Obstacle {
  /** "a private address" */
  readonly kind: string
  /** CAPTURE_DENY names it: CAPTURE_ALLOW permits it by a name only. */
  readonly denied: boolean
}

/** Undefined where the way is free. */
export type FindObstacle = (target: Target, address: string) => Promise<Obstacle | undefined>

export interface ObstacleRules {
  readonly allow: AllowList
  readonly deny: DenyList
  readonly own: OwnAddresses
  readonly lookup: Lookup
}

/**
 * In this order: a name that is permitted may lead to any address; a denied address is not visited; a permitted one
 * is; then what is special, what is this machine's, and what a translator turns into such an address.
 */
export function createObstacles({ allow, deny, own, lookup }: ObstacleRules): FindObstacle {
  const findTranslators = createKeptAnswer(() => lookUpPrefixes(lookup), [], TRANSLATORS)

  const findKind = async (host: string, address: string) =>
    findForbiddenKind(address) ?? (await own.findKind(host, address))

  return async ({ host, port }, address) => {
    // A permitted name leads to an address, never to another name: connecting to that would look it up again.
    if (isIP(address) !== 0 && allow.permitsName(host, port)) return undefined
    if (deny.deniesAddress(address, port)) return DENIED
    if (allow.permitsAddress(address, port)) return undefined
    const kind = await findKind(host, address)
    if (kind) return { kind, denied: false }
    if (isIP(address) === 4) return undefined
    for (const embedded of findEmbedded(await findTranslators(), address)) {
      if (deny.deniesAddress(embedded, port)) return DENIED
      const held = await findKind(host, embedded)
      if (held) return { kind: `a NAT64 address that stands for ${held}`, denied: false }
    }
    return undefined
  }
}

const DENIED: Obstacle = { kind: 'an address that CAPTURE_DENY names', denied: true }

async function lookUpPrefixes(lookup: Lookup): Promise<Nat64Prefix[]> {
  try {
    return findPrefixes(await lookup(IPV4_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []
    throw error
  }
}
