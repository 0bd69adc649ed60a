import { isIP } from 'node:net'
import { bytesOf } from './ipv6.ts'

/** A name whose only addresses are the two below: an IPv6 address of it is one that a NAT64 made (RFC 7050). */
export const IPV4_ONLY = 'ipv4only.arpa'
const ITS_ADDRESSES = ['192.0.0.170', '192.0.0.171']

/** By the length of the prefix, which bytes are the IPv4 address (RFC 6052, 2.2). The ninth is never one of them. */
const PLACES: readonly [bits: number, bytes: readonly number[]][] = [
  [32, [4, 5, 6, 7]],
  [40, [5, 6, 7, 9]],
  [48, [6, 7, 9, 10]],
  [56, [7, 9, 10, 11]],
  [64, [9, 10, 11, 12]],
  [96, [12, 13, 14, 15]],
]

/** What a translator of this network puts before IPv4 addresses. */
export interface Nat64Prefix {
  readonly bytes: readonly number[]
  readonly places: readonly number[]
}

/** The prefixes that the addresses of `ipv4only.arpa` give away. */
export function findPrefixes(addresses: readonly string[]): Nat64Prefix[] {
  return addresses.filter(isPlainIpv6).flatMap((address) => {
    const bytes = bytesOf(address)
    return PLACES.filter(([, places]) => ITS_ADDRESSES.includes(readIpv4(bytes, places))).map(
      ([bits, places]) => ({ bytes: bytes.slice(0, bits / 8), places }),
    )
  })
}

/** The IPv4 addresses that an address leads to through one of these translators. */
export function findEmbedded(prefixes: readonly Nat64Prefix[], address: string): string[] {
  if (!isPlainIpv6(address)) return []
  const bytes = bytesOf(address)
  return prefixes
    .filter((prefix) => prefix.bytes.every((byte, index) => byte === bytes[index]))
    .map(({ places }) => readIpv4(bytes, places))
}

function readIpv4(bytes: readonly number[], places: readonly number[]): string {
  return places.map((place) => bytes[place]).join('.')
}

function isPlainIpv6(address: string): boolean {
  return isIP(address) === 6 && !address.includes('%')
}
