import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { bytesOf } from './addresses.ts'
import { createKeptAnswer } from './kept-answer.ts'
import type { Lookup } from './resolve.ts'
import { canonicalHost } from './target.ts'

// The addresses of this machine. A connection to one of them comes from the machine itself, and firewalls trust it.
// Two kinds cannot be known here and need CAPTURE_DENY: the host of a container, and public addresses behind NAT that
// PUBLIC_URL does not lead to.

/** The names of the service rarely lead to new addresses. */
const HOSTS = { freshMs: 60_000, retryMs: 10_000, patienceMs: 3_000 }

/** Nothing is sent to it. */
const ANY_PORT = 9

export interface OwnRules {
  /** Default: the system's. */
  readonly interfaces?: typeof networkInterfaces
  /** Names and addresses under which others reach this service. Behind NAT and in containers no interface has them. */
  readonly ownHosts?: readonly string[]
  readonly lookup: Lookup
}

/** Why an address, or the name that led to it, belongs to this machine. Undefined if it does not. */
type FindOwnKind = (host: string, address: string) => Promise<string | undefined>

export function createFindOwnKind({
  interfaces = networkInterfaces,
  ownHosts = [],
  lookup,
}: OwnRules): FindOwnKind {
  const hosts = ownHosts.flatMap((host) => (isIP(host) === 0 ? (canonicalHost(host) ?? []) : host))
  const names = hosts.filter((host) => isIP(host) === 0)
  const stated = hosts.filter((host) => isIP(host) !== 0)
  const isOfInterface = (spelled: string) =>
    Object.values(interfaces()).some((all) => all?.some(({ address }) => spell(address) === spelled))
  const ofNames = names.map((name) => createKeptAnswer(() => lookup(name), [], HOSTS))

  return async (host, address) => {
    const spelled = spell(address)
    if (isOfInterface(spelled) || (await leadsHere(address))) return 'an address of this machine itself'
    const led = names.includes(host) ? [address] : await Promise.all(ofNames.map((find) => find()))
    return [...stated, ...led.flat()].some((one) => spell(one) === spelled)
      ? 'an address of this service itself (PUBLIC_URL or HOST)'
      : undefined
  }
}

/**
 * Whether the system itself answers at an address. Then a connection to it would also come from it. Nothing is sent.
 * This finds addresses that the list of interfaces lacks: interfaces without a cable, and local routes, which clouds
 * use for load balancers (IPv4 only).
 */
async function leadsHere(address: string): Promise<boolean> {
  const socket = createSocket({
    type: isIP(address) === 4 ? 'udp4' : 'udp6',
    lookup: (host, _options, done) => done(null, host, isIP(host)),
  })
  try {
    socket.connect(ANY_PORT, address)
    await once(socket, 'connect')
    return spell(socket.address().address) === spell(address)
  } catch {
    // There is no route. Connecting will fail and say so.
    return false
  } finally {
    socket.close()
  }
}

/** One spelling for each address, without its zone. */
function spell(address: string): string {
  const [plain = ''] = address.split('%')
  return isIP(plain) === 6 ? bytesOf(plain).join('.') : plain
}
