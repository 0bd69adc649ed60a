import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, isPublicAddress } from '../../src/egress/addresses.ts'
import { parseDenyList } from '../../src/egress/allow-list.ts'
import type { Lookup } from '../../src/egress/guard.ts'
import { findEmbedded, findPrefixes, IPV4_ONLY } from '../../src/egress/obstacles.ts'
import { openTestGate, tryTunnel } from './browser.ts'

// A translator makes IPv6 addresses of IPv4 ones, private ones included (RFC 6052). Its prefix is the network's own
// and looks public; the addresses of one well-known name give it away (RFC 7050).

/** RFC 6052, 2.4: 192.0.2.33 under each length of a prefix. */
const EXAMPLES: [bits: number, address: string][] = [
  [32, '2001:db8:c000:221::'],
  [40, '2001:db8:1c0:2:21::'],
  [48, '2001:db8:122:c000:2:2100::'],
  [56, '2001:db8:122:3c0:0:221::'],
  [64, '2001:db8:122:344:c0:2:2100::'],
  [96, '2001:db8:122:344::192.0.2.33'],
]

const LENGTHS = EXAMPLES.map(([bits]) => bits)

/** The address that a translator with this prefix makes. The ninth byte is always zero. */
function embed(prefix: readonly number[], ipv4: readonly number[]): string {
  const bytes = [...prefix]
  for (const byte of ipv4) {
    if (bytes.length === 8) bytes.push(0)
    bytes.push(byte)
  }
  while (bytes.length < 16) bytes.push(0)
  return Array.from({ length: 8 }, (_, group) =>
    ((bytes[group * 2] ?? 0) * 256 + (bytes[group * 2 + 1] ?? 0)).toString(16),
  ).join(':')
}

const byte = fc.integer({ min: 0, max: 255 })
const prefix = fc
  .tuple(fc.constantFrom(...LENGTHS), fc.array(byte, { minLength: 12, maxLength: 12 }))
  .map(([bits, bytes]) =>
    bytes.slice(0, bits / 8).map((value, index) => (index === 0 ? 0x26 : index === 8 ? 0 : value)),
  )
const quad = fc.tuple(byte, byte, byte, byte)

test('all spellings of an address have the same bytes', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      // The system's own reading, as the URL standard spells it.
      const spelled = new URL(`http://[${address}]/`).hostname.slice(1, -1)
      expect(bytesOf(address)).toEqual(bytesOf(spelled))
      expect(bytesOf(address)).toHaveLength(16)
    }),
  )
  expect(bytesOf('1:203::ffff:10.11.12.13')).toEqual([
    0,
    1,
    2,
    3,
    ...Array(6).fill(0),
    255,
    255,
    10,
    11,
    12,
    13,
  ])
})

describe('a prefix', () => {
  test.each(EXAMPLES)('of %i bits holds an IPv4 address where RFC 6052 says: %s', (bits, address) => {
    const known = embed(bytesOf(address).slice(0, bits / 8), [192, 0, 0, 170])
    expect(findEmbedded(findPrefixes([known]), address)).toContain('192.0.2.33')
  })

  test('is found by looking up ipv4only.arpa; the IPv4 address within its addresses is then known', () => {
    fc.assert(
      fc.property(prefix, quad, fc.constantFrom(170, 171), (bytes, ipv4, last) => {
        const prefixes = findPrefixes(['192.0.0.170', embed(bytes, [192, 0, 0, last]), 'fe80::1%eth0'])
        expect(findEmbedded(prefixes, embed(bytes, ipv4))).toContain(ipv4.join('.'))
      }),
      { numRuns: 500 },
    )
  })

  test('is not found without a translator, and then refuses no address', () => {
    expect(findPrefixes(['192.0.0.170', '192.0.0.171', '2600::1', 'garbage', ''])).toEqual([])
    const prefixes = findPrefixes([embed([0x26, 0, 0, 1], [192, 0, 0, 170])])
    expect(findEmbedded(prefixes, '2600:2:a00:5::')).toEqual([])
    expect(findEmbedded(prefixes, '10.0.0.5')).toEqual([])
  })
})

describe('a gate behind a translator', () => {
  const PREFIX = bytesOf('2600:64:ff9b::').slice(0, 12)
  const through = (...ipv4: number[]) => embed(PREFIX, ipv4)
  const lookup: Lookup = async (name) => {
    if (name === IPV4_ONLY) return [through(192, 0, 0, 170), through(192, 0, 0, 171), '192.0.0.170']
    if (name === 'intranet.test') return [through(10, 0, 0, 5)]
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  }

  test('refuses an address if it would refuse the IPv4 address in it', async () => {
    const deny = parseDenyList('45.33.32.156')
    const interfaces = () => ({ eth0: [{ address: '45.33.32.157' } as never] })
    const gate = await openTestGate({ lookup, deny, interfaces })
    const hosts = [
      [127, 0, 0, 1],
      [10, 0, 0, 5],
      [169, 254, 169, 254],
      [45, 33, 32, 156],
      [45, 33, 32, 157],
    ]
    for (const ipv4 of hosts) {
      expect(isPublicAddress(through(...ipv4))).toBe(true)
      expect([ipv4, await tryTunnel(gate, `[${through(...ipv4)}]:443`)]).toEqual([ipv4, 'blocked'])
    }
    expect(await tryTunnel(gate, 'intranet.test:443')).toBe('blocked')
    expect(gate.failureOf('https://intranet.test/')?.detail).toContain(
      'leads to a NAT64 address that stands for a private address',
    )
  })

  test('finds the translator once, and only for IPv6 addresses', async () => {
    const asked: string[] = []
    const gate = await openTestGate({
      lookup: async (name) => {
        asked.push(name)
        return await lookup(name)
      },
    })
    await tryTunnel(gate, '10.0.0.5:443')
    await tryTunnel(gate, 'unknown.test:443')
    expect(asked).toEqual(['unknown.test'])
    await Promise.all([1, 2, 3].map((last) => tryTunnel(gate, `[${through(10, 0, 0, last)}]:443`)))
    expect(asked).toEqual(['unknown.test', IPV4_ONLY])
  })
})

test.each(['2600::5efe:10.0.0.5', '2600:1:2:3:200:5efe:8.8.8.8', '2600:1:2:3:0:5EFE:a00:5'])(
  '%s is an ISATAP address, and not public',
  (address) => expect(isPublicAddress(address)).toBe(false),
)
