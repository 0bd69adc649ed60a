import { isIP } from 'node:net'
import { findForbiddenKind } from './addresses.ts'
import type { AllowList, DenyList } from './allow-list.ts'
import { createKeptAnswer } from './kept-answer.ts'
import { findEmbedded, findPrefixes, IPV4_ONLY, type Nat64Prefix } from './nat64.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Lookup } from './resolve.ts'
import type { Target } from './target.ts'

/** The NAT64 translator of a network rarely changes. A page waits for this look-up only for a moment. */
const TRANSLATORS = { freshMs: 3_600_000, retryMs: 60_000, patienceMs: 3_000 }

/** Why captured pages may not reach an address. */
export interface Obstacle {
  /** "a private address" */
  readonly kind: string
  /** CAPTURE_DENY names it: only a name in CAPTURE_ALLOW can allow it. */
  readonly denied: boolean
}

/** Undefined if pages may reach the address. */
export type FindObstacle = (target: Target, address: string) => Promise<Obstacle | undefined>

export interface ObstacleRules {
  readonly allow: AllowList
  readonly deny: DenyList
  readonly own: OwnAddresses
  readonly lookup: Lookup
}

/**
 * The rules, in their order: an allowed name may lead to any address; a denied address is refused; an allowed address
 * is reached; then special addresses, those of this machine, and NAT64 addresses that stand for one of these are refused.
 */
export function createObstacles({ allow, deny, own, lookup }: ObstacleRules): FindObstacle {
  const findTranslators = createKeptAnswer(() => lookUpPrefixes(lookup), [], TRANSLATORS)

  const findKind = async (host: string, address: string) =>
    findForbiddenKind(address) ?? (await own.findKind(host, address))

  return async ({ host, port }, address) => {
    // Only an address is allowed here, never another name: connecting to a name would look it up again.
    if (isIP(address) !== 0 && allow.allowsName(host, port)) return undefined
    if (deny.deniesAddress(address, port)) return DENIED
    if (allow.allowsAddress(address, port)) return undefined
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
