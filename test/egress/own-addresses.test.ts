import type { NetworkInterfaceInfo } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../src/egress/addresses.ts'
import { parseAllowList, parseDenyList } from '../../src/egress/allow-list.ts'
import type { Lookup } from '../../src/egress/guard.ts'
import { createObstacles } from '../../src/egress/obstacles.ts'
import { parseAuthority, type Target } from '../../src/egress/target.ts'
import { openTestGate, sendRequest, tryTunnel } from './browser.ts'

// Every address of the machine itself is private to captured pages. The interfaces here are made up;
// test/whole/own-addresses.test.ts has real ones.

const OWN_4 = '45.33.32.156'
const OWN_6 = '2600:3c01::f03c:91ff:fe18:bb2f'

const interfacesWith = (...addresses: string[]) => ({
  eth0: addresses.map((address) => ({ address }) as NetworkInterfaceInfo),
  tun0: undefined,
})

const unknown: Lookup = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))

interface Rules {
  readonly own?: readonly string[]
  readonly hosts?: readonly string[]
  readonly allow?: string
  readonly deny?: string
  readonly lookup?: Lookup
}

/** The reason why captured pages may not reach an address; `free` if they may. */
function createJudge({ own = [], hosts = [], allow = '', deny = '', lookup = unknown }: Rules) {
  const findObstacle = createObstacles({
    allow: parseAllowList(allow),
    deny: parseDenyList(deny),
    ...{ interfaces: () => interfacesWith(...own), ownHosts: hosts, lookup },
  })
  return async (authority: string, address?: string) => {
    const target = parseAuthority(authority, 443) as Target
    return (await findObstacle(target, address ?? target.host))?.kind ?? 'free'
  }
}

const MACHINE = 'an address of this machine itself'
const SERVICE = 'an address of this service itself (PUBLIC_URL or HOST)'
const DENIED = 'an address that CAPTURE_DENY names'

const ipv4 = fc
  .tuple(...[1, 2, 3, 4].map(() => fc.integer({ min: 0, max: 255 })))
  .map((bytes) => bytes.join('.'))
  .filter(isPublicAddress)
const ipv6 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 })
  .map((groups) => ['2600', ...groups.map((group) => group.toString(16))].join(':'))
  .filter(isPublicAddress)
/** Leading zeros, upper case, or dots at the end: the address is the same. */
const spelled = (address: string) =>
  fc.constantFrom(
    address,
    ...(address.includes(':')
      ? [
          address.toUpperCase(),
          address.replaceAll(/[0-9a-f]+/g, (group) => group.padStart(4, '0')),
          `${address.split(':').slice(0, 6).join(':')}:${lastFour(address)}`,
        ]
      : []),
  )

function lastFour(address: string): string {
  const [one = 0, two = 0] = address
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group, 16))
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}

describe('an address of an interface', () => {
  test('is refused in every spelling and under any name; other public addresses are not', async () => {
    const some = fc.uniqueArray(fc.oneof(ipv4, ipv6), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        some.chain((own) => fc.tuple(fc.constant(own), fc.constantFrom(...own).chain(spelled))),
        fc.oneof(ipv4, ipv6),
        async ([own, one], other) => {
          const judge = createJudge({ own })
          expect(await judge('any.test', one)).toBe(MACHINE)
          if (!own.includes(other)) expect(await judge('any.test', other)).toBe('free')
        },
      ),
      { numRuns: 200 },
    )
  })

  test('with a zone is refused with and without the zone', async () => {
    const judge = createJudge({ own: [`${OWN_6}%eth0`] })
    expect(await judge('any.test', OWN_6)).toBe(MACHINE)
    expect(await judge('any.test', `${OWN_6}%eth1`)).toBe('an address of one network interface')
    expect(await judge('any.test', `::ffff:${OWN_4}`)).toBe('an IPv4 address in IPv6 clothes')
  })

  test.each([
    [OWN_4, `${OWN_4}:443`],
    [`[${OWN_6}]`, `[${OWN_6}]:443`],
    ['www.example.com', 'www.example.com'],
    ['www.example.com', '*.example.com:443'],
    ['www.example.com', '45.33.0.0/16'],
  ])('is reached as %s with CAPTURE_ALLOW=%s', async (host, allow) => {
    const judge = createJudge({ own: [OWN_4, OWN_6], allow })
    const address = host === 'www.example.com' ? OWN_4 : undefined
    expect(await judge(host, address)).toBe('free')
    expect(await judge('other.test', '2600::5')).toBe('free')
    expect(await judge('other.test:8443', allow.includes('/') ? OWN_6 : OWN_4)).toBe(MACHINE)
  })

  test('is refused by a gate before any connection, and the reason says how to allow it', async () => {
    const gate = await openTestGate({
      interfaces: () => interfacesWith(OWN_4, OWN_6),
      lookup: async () => [OWN_6, OWN_4],
    })
    for (const host of [OWN_4, '0x2d21209c', '45.33.8348', `[${OWN_6}]`, 'www.example.com']) {
      expect([host, await sendRequest(gate, `http://${host}/`)]).toEqual([host, ''])
      expect(gate.failureOf(`http://${host}/`)?.reason).toBe('blocked')
      expect(await tryTunnel(gate, `${host}:443`)).toBe('blocked')
    }
    expect(gate.failureOf('https://www.example.com/')?.detail).toBe(
      'www.example.com leads to an address of this machine itself, which captured pages may not reach. To allow ' +
        'it, start proofsheet with CAPTURE_ALLOW=www.example.com:443 (entries are separated by commas).',
    )
  })

  test('that appears during captures is refused from then on', async () => {
    const own: string[] = []
    const judge = createJudge({ own })
    expect(await judge(OWN_4)).toBe('free')
    own.push(OWN_4)
    await expect.poll(() => judge(OWN_4)).toBe(MACHINE)
  })
})

describe('an address of the service itself', () => {
  const lookup: Lookup = async (name) => (name === 'shots.example.com' ? [OWN_4, OWN_6] : await unknown(name))

  test('is refused under every name, even if no interface has it', async () => {
    const judge = createJudge({ hosts: ['shots.example.com'], lookup })
    expect(await judge('www.example.com', OWN_4)).toBe(SERVICE)
    expect(await judge('www.example.com:22', OWN_6)).toBe(SERVICE)
    expect(await judge('www.example.com', '45.33.32.157')).toBe('free')
    // DNS may give another answer next time: the name itself is the service's own, too.
    expect(await judge('shots.example.com', '45.33.32.157')).toBe(SERVICE)
  })

  test('may be given as an IP address; a name that cannot be looked up blocks and delays nothing', async () => {
    const judge = createJudge({ hosts: [OWN_4, 'gone.example.com'], lookup: unknown })
    expect(await judge(OWN_4)).toBe(SERVICE)
    expect(await judge('any.test', OWN_6)).toBe('free')
  })

  test('is reached if CAPTURE_ALLOW has it', async () => {
    const judge = createJudge({ hosts: ['shots.example.com'], lookup, allow: 'www.example.com' })
    expect(await judge('www.example.com', OWN_4)).toBe('free')
    expect(await judge('ads.example.com', OWN_4)).toBe(SERVICE)
  })

  test('is looked up once for all requests', async () => {
    let lookups = 0
    const counted: Lookup = async (name) => {
      lookups += name === 'shots.example.com' ? 1 : 0
      return await lookup(name)
    }
    const judge = createJudge({ hosts: ['shots.example.com'], lookup: counted })
    await Promise.all(Array.from({ length: 20 }, () => judge('www.example.com', OWN_4)))
    expect(lookups).toBe(1)
  })
})

describe('CAPTURE_DENY', () => {
  test('refuses a public address on its port, unless CAPTURE_ALLOW has the name', async () => {
    const judge = createJudge({
      deny: '45.33.32.0/24:443,[2600:3c01::/64]',
      allow: `${OWN_4},www.example.com`,
    })
    expect(await judge(OWN_4)).toBe(DENIED)
    expect(await judge(`${OWN_4}:80`)).toBe('free')
    expect(await judge('any.test', OWN_6)).toBe(DENIED)
    expect(await judge('any.test', '45.33.33.1')).toBe('free')
    expect(await judge('www.example.com', OWN_4)).toBe('free')
  })

  test('names the setting in its reason', async () => {
    const gate = await openTestGate({ deny: parseDenyList('10.0.0.1'), lookup: async () => ['10.0.0.1'] })
    await sendRequest(gate, 'http://10.0.0.1/')
    expect(gate.failureOf('http://10.0.0.1/')?.detail).toBe(
      '10.0.0.1 is an address that CAPTURE_DENY names, which captured pages may not reach. ' +
        'To allow it, remove it from CAPTURE_DENY.',
    )
    await sendRequest(gate, 'http://www.test/')
    expect(gate.failureOf('http://www.test/')?.detail).toContain(
      'start proofsheet with CAPTURE_ALLOW=www.test:80 ',
    )
  })

  test('accepts no names', () => {
    expect(() => parseDenyList('10.0.0.1,host.docker.internal')).toThrow(
      'takes addresses and ranges, not names: another name could lead to the same address',
    )
    expect(() => parseDenyList('10.0.0.0/99')).toThrow('has the entry "10.0.0.0/99"')
  })
})
