import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { bytesOf } from './ipv6.ts'
import { createKeptAnswer } from './kept-answer.ts'
import type { Lookup } from './resolve.ts'

// What this machine answers at itself. A connection there comes from the machine, and firewalls trust that.
// Not known here, so that CAPTURE_DENY is for it: the host of a container, and public addresses behind NAT that no
// name of the service leads to.

/** Reading a few addresses takes 0.05 ms, a thousand 3 ms: it may take a twentieth of the time, once a second at least. */
const READING_SHARE = 1 / 20
const LONGEST_MS = 1_000
/** Where the service is reached moves rarely, and then others wait for DNS as well. */
const HOSTS = { freshMs: 60_000, retryMs: 10_000, patienceMs: 3_000 }

/** It is named, and nothing is sent there. */
const ANY_PORT = 9

export type Interfaces = typeof networkInterfaces

export interface OwnRules {
  /** Default: the system's. */
  readonly interfaces?: Interfaces | undefined
  /** How others reach this service: names and addresses. Behind NAT and in containers no interface has these. */
  readonly hosts?: readonly string[] | undefined
  readonly lookup: Lookup
}

export interface OwnAddresses {
  /** What makes an address, or the name that led to it, this machine's; undefined where nothing does. */
  findKind(host: string, address: string): Promise<string | undefined>
}

export function createOwnAddresses({
  interfaces = networkInterfaces,
  hosts = [],
  lookup,
}: OwnRules): OwnAddresses {
  const names = hosts.filter((host) => isIP(host) === 0)
  const stated = hosts.filter((host) => isIP(host) !== 0)
  const ofInterfaces = readAgain(() => {
    const all = Object.values(interfaces()).flatMap((some) => some ?? [])
    return new Set(all.map(({ address }) => spell(address)))
  })
  const ofNames = names.map((name) => createKeptAnswer(() => lookup(name), [], HOSTS))

  return {
    async findKind(host, address) {
      const spelled = spell(address)
      if (ofInterfaces().has(spelled) || (await leadsHere(address)))
        return 'an address of this machine itself'
      const led = names.includes(host) ? [address] : await Promise.all(ofNames.map((find) => find()))
      return [...stated, ...led.flat()].some((one) => spell(one) === spelled)
        ? 'where this service itself is reached (PUBLIC_URL or HOST)'
        : undefined
    },
  }
}

/**
 * Whether the system itself answers at an address: then it is also where a connection there would come from. Nothing
 * is sent. This knows what the list of interfaces lacks: those without a cable, and routes that make addresses local,
 * as clouds have them for load balancers (of IPv6 they are not seen).
 */
async function leadsHere(address: string): Promise<boolean> {
  const socket = createSocket({
    type: isIP(address) === 4 ? 'udp4' : 'udp6',
    lookup: (host, _options, done) => done(null, host, isIP(host)),
  })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.connect(ANY_PORT, address, resolve)
    })
    return spell(socket.address().address) === spell(address)
  } catch {
    // No way leads there; connecting will say so.
    return false
  } finally {
    socket.close()
  }
}

/** One text for each address, whatever its spelling and its zone. */
function spell(address: string): string {
  const [plain = ''] = address.split('%')
  return isIP(plain) === 6 ? bytesOf(plain).join('.') : plain
}

/** Reads whenever it is asked, but for as long as the last reading was dear. */
function readAgain<T>(read: () => T): () => T {
  let kept: { readonly value: T; readonly until: number } | undefined
  return () => {
    const start = performance.now()
    if (kept && start < kept.until) return kept.value
    const value = read()
    const end = performance.now()
    kept = { value, until: end + Math.min((end - start) / READING_SHARE, LONGEST_MS) }
    return value
  }
}
