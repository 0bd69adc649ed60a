import { BlockList, isIP } from 'node:net'

const DOTTED_END = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

interface Kind {
  readonly name: string
  readonly members: BlockList
}

function kind(name: string, family: 'ipv4' | 'ipv6', ...ranges: string[]): Kind {
  const members = new BlockList()
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/')
    members.addSubnet(base, Number(prefix), family)
  }
  return { name, members }
}

/** All other IPv4 addresses are public. From IANA's registry of special addresses. */
const FORBIDDEN_4: readonly Kind[] = [
  kind('a loopback address', 'ipv4', '127.0.0.0/8'),
  kind('a private address', 'ipv4', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'),
  kind('a link-local address', 'ipv4', '169.254.0.0/16'),
  kind('an address of "this network"', 'ipv4', '0.0.0.0/8'),
  kind('a shared (CGNAT) address', 'ipv4', '100.64.0.0/10'),
  kind('a benchmark address', 'ipv4', '198.18.0.0/15'),
  kind('a documentation address', 'ipv4', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'),
  kind('a protocol address', 'ipv4', '192.0.0.0/24', '192.88.99.0/24'),
  // Looks public, but is the host of every virtual machine of Azure, which gives out its secrets.
  kind('an address of the cloud underneath', 'ipv4', '168.63.129.16/32'),
  kind('a multicast address', 'ipv4', '224.0.0.0/4'),
  kind('a broadcast address', 'ipv4', '255.255.255.255/32'),
  kind('a reserved address', 'ipv4', '240.0.0.0/4'),
]

const GLOBAL_6 = kind('a public address', 'ipv6', '2000::/3').members

/** Parts of the global unicast range that hold no web servers. */
const FORBIDDEN_6: readonly Kind[] = [
  kind('a Teredo address', 'ipv6', '2001::/32'),
  kind('a benchmark address', 'ipv6', '2001:2::/48'),
  kind('an ORCHID', 'ipv6', '2001:10::/28', '2001:20::/28'),
  kind('a protocol address', 'ipv6', '2001::/23'),
  kind('a documentation address', 'ipv6', '2001:db8::/32', '3fff::/20'),
  kind('a 6to4 address', 'ipv6', '2002::/16'),
]

/** Nothing outside the global unicast range is public. These names only explain why. */
const NAMED_6: readonly Kind[] = [
  kind('a loopback address', 'ipv6', '::1/128'),
  kind('the unspecified address', 'ipv6', '::/128'),
  kind('an IPv4 address in IPv6 clothes', 'ipv6', '::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'),
  kind('a NAT64 address', 'ipv6', '64:ff9b::/96', '64:ff9b:1::/48'),
  kind('a private address', 'ipv6', 'fc00::/7'),
  kind('a link-local address', 'ipv6', 'fe80::/10'),
  kind('a site-local address', 'ipv6', 'fec0::/10'),
  kind('a multicast address', 'ipv6', 'ff00::/8'),
]

export function isPublicAddress(address: string): boolean {
  return findForbiddenKind(address) === undefined
}

/** Why an address is not public ("a private address"). Undefined for a public one. */
export function findForbiddenKind(address: string): string | undefined {
  // BlockList ignores a zone id.
  if (address.includes('%')) return 'an address of one network interface'
  const family = isIP(address)
  // Each family has its own lists: in a BlockList, IPv4 rules also match mapped IPv6 addresses, and the reverse.
  if (family === 4) return findKind(FORBIDDEN_4, address, 'ipv4')
  if (family !== 6) return 'no address'
  if (GLOBAL_6.check(address, 'ipv6')) {
    return findKind(FORBIDDEN_6, address, 'ipv6') ?? (isIsatap(address) ? 'an ISATAP address' : undefined)
  }
  return findKind(NAMED_6, address, 'ipv6') ?? 'a reserved address'
}

function findKind(kinds: readonly Kind[], address: string, family: 'ipv4' | 'ipv6'): string | undefined {
  return kinds.find(({ members }) => members.check(address, family))?.name
}

/** These four bytes say that an IPv4 address follows, and packets go to that address (RFC 5214, 6.1). */
const ISATAP = /^(0|2),0,94,254$/

function isIsatap(address: string): boolean {
  return ISATAP.test(bytesOf(address).slice(8, 12).join())
}

/** The sixteen bytes of an IPv6 address, however it is spelled. It is one, and has no zone. */
export function bytesOf(address: string): readonly number[] {
  const hex = address.replace(DOTTED_END, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [before = [], after] = hex.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = after ? Array<string>(8 - before.length - after.length).fill('0') : []
  return [...before, ...zeros, ...(after ?? [])].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}
