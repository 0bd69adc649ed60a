import { BlockList, isIP } from 'node:net'
import { canonicalHost } from './target.ts'

/** CAPTURE_ALLOW: what pages may reach although it is not public. */
export type AllowList = ReturnType<typeof parseAllowList>

/** CAPTURE_DENY: what pages may not reach although it is public. */
export type DenyList = ReturnType<typeof parseDenyList>

interface Entry {
  readonly port: number | undefined
  hasName?(name: string): boolean
  hasAddress?(address: string): boolean
}

/** Throws an Error whose message completes the sentence "CAPTURE_ALLOW …", for all entries that are wrong. */
export function parseAllowList(text: string) {
  const entries = parseEntries(text)
  const concern = (port: number) => entries.filter((entry) => (entry.port ?? port) === port)
  return {
    /** Whether pages may reach this name, whatever its address is. */
    allowsName(name: string, port: number): boolean {
      const wanted = name.toLowerCase().replace(/\.$/, '')
      return concern(port).some((entry) => entry.hasName?.(wanted))
    },
    /** Whether pages may reach this address, whatever name leads to it. */
    allowsAddress(address: string, port: number): boolean {
      return concern(port).some((entry) => entry.hasAddress?.(address))
    },
  }
}

/** Throws an Error whose message completes the sentence "CAPTURE_DENY …". */
export function parseDenyList(text: string) {
  const entries = parseEntries(text)
  // Anyone can make another name for the same address.
  if (entries.some(({ hasName }) => hasName)) {
    throw new Error('takes addresses and ranges, not names: another name could lead to the same address')
  }
  return {
    /** Whether pages may not reach this address, unless CAPTURE_ALLOW has its name. */
    deniesAddress(address: string, port: number): boolean {
      return entries.some((entry) => (entry.port ?? port) === port && entry.hasAddress?.(address))
    },
  }
}

function parseEntries(text: string): Entry[] {
  const mistakes: string[] = []
  const parts = text.trim() === '' ? [] : text.split(',')
  const entries = parts.flatMap((part) => {
    try {
      return [parseEntry(part.trim())]
    } catch (error) {
      mistakes.push((error as Error).message)
      return []
    }
  })
  if (mistakes.length > 0) throw new Error([...new Set(mistakes)].join('; '))
  return entries
}

const BRACKETED = /^\[([^[\]]*)\](?::(.*))?$/
const WITH_PORT = /^([^:]*):([^:]*)$/

function parseEntry(entry: string): Entry {
  if (entry === '') throw new Error('has an empty entry: separate names and addresses with one comma')
  const fail = (what: string) => new Error(`has the entry ${JSON.stringify(entry)}: ${what}`)
  if (entry.includes('://')) throw fail('leave the scheme and the path away, as in example.com:443')
  const [, inBrackets, portInBrackets] = BRACKETED.exec(entry) ?? []
  const [, before = entry, portAfter] = WITH_PORT.exec(entry) ?? []
  const host = inBrackets ?? before
  const portText = inBrackets === undefined ? portAfter : portInBrackets
  if (inBrackets !== undefined && !inBrackets.includes(':')) throw fail('only IPv6 stands in brackets')
  const port = portText === undefined ? undefined : parsePort(portText)
  if (Number.isNaN(port)) throw fail('a port is a number from 1 to 65535')

  if (isIP(host.split('/')[0] ?? '') !== 0) {
    const hasAddress = parseRange(host)
    if (!hasAddress) throw fail('write an address, or a range such as 10.1.0.0/16 or [fd00::/8]:443')
    return { port, hasAddress }
  }
  if (host.includes(':')) throw fail('write IPv6 as [fd00::1], with a port as [fd00::1]:443')
  if (host.includes('/')) throw fail('leave the path away; a range is written as 10.1.0.0/16')
  const isParent = host.startsWith('*.')
  const name = canonicalHost(isParent ? host.slice(2) : host)
  if (name === undefined || host.includes('%')) {
    throw fail('write a name (example.com), *.example.com for all below it, or an IP address')
  }
  if (isIP(name) !== 0) throw fail(`write the address as ${name}`)
  return { port, hasName: (wanted) => (isParent ? wanted.endsWith(`.${name}`) : wanted === name) }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : Number.NaN
}

/** Each family by itself: BlockList finds all of IPv4 in ::/0, and IPv4 ranges hold their mapped addresses. */
function parseRange(text: string): ((address: string) => boolean) | undefined {
  const [base = '', prefix, ...rest] = text.split('/')
  const family = isIP(base)
  const bits = family === 4 ? 32 : 128
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (rest.length > 0 || base.includes('%') || !(length <= bits)) return undefined
  const name = family === 4 ? 'ipv4' : 'ipv6'
  const range = new BlockList()
  range.addSubnet(base, length, name)
  return (address) => isIP(address) === family && !address.includes('%') && range.check(address, name)
}
