import { isIP } from 'node:net'
import { bytesOf } from './ipv6.ts'

/** A name with only the two addresses below. If it has an IPv6 address, a NAT64 has made that (RFC 7050). */
export const IPV4_ONLY = 'ipv4only.arpa'
const ITS_ADDRESSES = ['192.0.0.170', '192.0.0.171']

/** Which bytes hold the IPv4 address, by the length of the prefix (RFC 6052, 2.2). Byte 8 never does. */
const OFFSETS: readonly [bits: number, bytes: readonly number[]][] = [
  [32, [4, 5, 6, 7]],
  [40, [5, 6, 7, 9]],
  [48, [6, 7, 9, 10]],
  [56, [7, 9, 10, 11]],
  [64, [9, 10, 11, 12]],
  [96, [12, 13, 14, 15]],
]

/** What a NAT64 translator of this network puts before IPv4 addresses. */
export interface Nat64Prefix {
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
