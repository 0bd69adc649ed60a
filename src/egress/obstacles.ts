import { isIP } from 'node:net'
import { bytesOf, findForbiddenKind } from './addresses.ts'
import { type AllowList, type DenyList, parseDenyList } from './allow-list.ts'
import { createKeptAnswer } from './kept-answer.ts'
import { createFindOwnKind, type OwnRules } from './own-addresses.ts'
import type { Lookup } from './resolve.ts'
import type { Target } from './target.ts'

/** The NAT64 translator of a network rarely changes. A page waits for this look-up only for a moment. */
const TRANSLATORS = { freshMs: 3_600_000, retryMs: 60_000, patienceMs: 3_000 }
/** A name with only the two addresses below. If it has an IPv6 address, a NAT64 has made that (RFC 7050). */
export const IPV4_ONLY = 'ipv4only.arpa'
const ITS_ADDRESSES = ['192.0.0.170', '192.0.0.171']

/** Why captured pages may not reach an address. */
export interface Obstacle {
  /** "a private address" */
  readonly kind: string
  /** CAPTURE_DENY names it: only a name in CAPTURE_ALLOW can allow it. */
  readonly denied: boolean
}

/** Undefined if pages may reach the address. */
export type FindObstacle = (target: Target, address: string) => Promise<Obstacle | undefined>

export interface ObstacleRules extends OwnRules {
  readonly allow: AllowList
  readonly deny?: DenyList
}

/**
 * The rules, in their order: an allowed name may lead to any address; a denied address is refused; an allowed address
 * is reached; then special addresses, those of this machine, and NAT64 addresses that stand for one of these are refused.
 */
export function createObstacles({
  allow,
  deny = parseDenyList(''),
  lookup,
  ...own
}: ObstacleRules): FindObstacle {
  // These look-ups are not limited: slow names of pages must not delay them.
  const findOwnKind = createFindOwnKind({ ...own, lookup })
  const findTranslators = createKeptAnswer(() => lookUpPrefixes(lookup), [], TRANSLATORS)

  const findKind = async (host: string, address: string) =>
    findForbiddenKind(address) ?? (await findOwnKind(host, address))

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

/** Which bytes hold the IPv4 address, by the length of the prefix (RFC 6052, 2.2). Byte 8 never does. */
const OFFSETS: readonly [bits: number, bytes: readonly number[]][] = [
  [32, [4, 5, 6, 7]],
  [40, [5, 6, 7, 9]],
  [48, [6, 7, 9, 10]],
  [56, [7, 9, 10, 11]],
  [64, [9, 10, 11, 12]],
  [96, [12, 13, 14, 15]],
]

/** The prefix that a NAT64 translator of this network puts before IPv4 addresses. */
interface Nat64Prefix {
  readonly bytes: readonly number[]
  readonly offsets: readonly number[]
}

/** The prefixes that the addresses of `ipv4only.arpa` show. */
export function findPrefixes(addresses: readonly string[]): Nat64Prefix[] {
  return addresses.filter(isPlainIpv6).flatMap((address) => {
    const bytes = bytesOf(address)
    return OFFSETS.filter(([, offsets]) => ITS_ADDRESSES.includes(readIpv4(bytes, offsets))).map(
      ([bits, offsets]) => ({ bytes: bytes.slice(0, bits / 8), offsets }),
    )
  })
}

/** The IPv4 addresses that an address leads to through one of these translators. */
export function findEmbedded(prefixes: readonly Nat64Prefix[], address: string): string[] {
  if (!isPlainIpv6(address)) return []
  const bytes = bytesOf(address)
  return prefixes
    .filter((prefix) => prefix.bytes.every((byte, index) => byte === bytes[index]))
    .map(({ offsets }) => readIpv4(bytes, offsets))
}

function readIpv4(bytes: readonly number[], offsets: readonly number[]): string {
  return offsets.map((offset) => bytes[offset]).join('.')
}

function isPlainIpv6(address: string): boolean {
  return isIP(address) === 6 && !address.includes('%')
}
