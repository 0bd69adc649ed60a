import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findForbiddenKind, isPublicAddress } from '../../src/egress/addresses.ts'

// First and last address of each range. Their neighbours are public unless another range has them.

const RANGES_4: [first: string, last: string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
]

const RANGES_6: [first: string, last: string][] = [
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

function toNumber(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [before = '', after] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const groups =
    after === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill('0'), ...after]
  return [...groups].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

function toAddress(number: bigint, family: 4 | 6): string {
  const [parts, bits] = family === 4 ? [4, 8n] : [8, 16n]
  const all = Array.from(
    { length: parts },
    (_, i) => (number >> (bits * BigInt(parts - 1 - i))) & (2n ** bits - 1n),
  )
  return family === 4 ? all.join('.') : all.map((group) => group.toString(16)).join(':')
}

describe.each([
  { family: 4 as const, ranges: RANGES_4, end: 2n ** 32n },
  { family: 6 as const, ranges: RANGES_6, end: 2n ** 128n },
])('IPv$family', ({ family, ranges, end }) => {
  const spans = ranges.map(([first, last]) => [toNumber(first), toNumber(last)] as const)
  const isInside = (number: bigint) => spans.some(([first, last]) => number >= first && number <= last)

  test.each(ranges)(
    '%s to %s is forbidden, and its neighbours only if another range has them',
    (first, last) => {
      expect([first, last].map(isPublicAddress)).toEqual([false, false])
      for (const neighbour of [toNumber(first) - 1n, toNumber(last) + 1n]) {
        if (neighbour < 0n || neighbour >= end) continue
        const address = toAddress(neighbour, family)
        expect([address, isPublicAddress(address)]).toEqual([address, !isInside(neighbour)])
      }
    },
  )

  test('an address is forbidden exactly if it lies in one of the ranges', () => {
    const anywhere = fc.bigInt(0n, end - 1n)
    const within = fc.constantFrom(...spans).chain(([first, last]) => fc.bigInt(first, last))
    const global = fc.bigInt(toNumber('2000::'), toNumber('3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'))
    fc.assert(
      fc.property(
        family === 4 ? fc.oneof(anywhere, within) : fc.oneof(anywhere, within, global),
        (number) => {
          expect(isPublicAddress(toAddress(number, family))).toBe(!isInside(number))
        },
      ),
      { numRuns: 5_000 },
    )
  })
})

test.each([
  ['127.0.0.1', 'a loopback address'],
  ['10.0.0.5', 'a private address'],
  ['169.254.169.254', 'a link-local address'],
  ['255.255.255.255', 'a broadcast address'],
  ['255.255.255.254', 'a reserved address'],
  ['239.255.255.255', 'a multicast address'],
  ['::1', 'a loopback address'],
  ['::', 'the unspecified address'],
  ['::ffff:8.8.8.8', 'an IPv4 address in IPv6 clothes'],
  ['0:0:0:0:0:FFFF:0808:0808', 'an IPv4 address in IPv6 clothes'],
  ['::ffff:0:8.8.8.8', 'an IPv4 address in IPv6 clothes'],
  ['::8.8.8.8', 'an IPv4 address in IPv6 clothes'],
  ['64:ff9b::8.8.8.8', 'a NAT64 address'],
  ['64:ff9b:1:ffff::1', 'a NAT64 address'],
  ['100::1', 'a reserved address'],
  ['5f00::1', 'a reserved address'],
  ['fd00::1', 'a private address'],
  ['fe80::1', 'a link-local address'],
  ['febf:ffff::1', 'a link-local address'],
  ['fec0::1', 'a site-local address'],
  ['ff02::1', 'a multicast address'],
  ['2001::1', 'a Teredo address'],
  ['2001:2::1', 'a benchmark address'],
  ['2001:2f:ffff::1', 'an ORCHID'],
  ['2001:1::1', 'a protocol address'],
  ['2001:0DB8::1', 'a documentation address'],
  ['2002:0808:0808::1', 'a 6to4 address'],
  ['2600::1%eth0', 'an address of one network interface'],
])('%s is %s', (address, kind) => {
  expect(findForbiddenKind(address)).toBe(kind)
})

test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2001:4860:4860::8888', '2A00:1450:4001:80b::200e'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each(['', 'example.com', '8.8.8', '08.8.8.8', '8.8.8.8 ', '[2600::1]', '2600::1/64', '134744072'])(
  'a text that is not a plain address is not public: %j',
  (text) => expect(isPublicAddress(text)).toBe(false),
)
