import { isIP } from 'node:net'

/** Host and port of a request, in the one spelling that is checked, looked up and recorded. */
export interface Target {
  /** A name in lower case without its final dot, or an address without brackets. */
  readonly host: string
  readonly isAddress: boolean
  readonly port: number
}

const AUTHORITY = /^(\[[^[\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/
/** Characters with which `new URL` would find another host, or silently drop a part of it. */
const NOT_IN_HOST = /[\s/?#@\\]|\p{Cc}/u
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/**
 * The one spelling of a host, as browsers see it: 127.1, 0x7f000001 and １２７.0.0.1 are 127.0.0.1. Undefined if
 * the text is no host. IPv6 has brackets in the text and none in the answer.
 */
export function canonicalHost(text: string): string | undefined {
  if (NOT_IN_HOST.test(text)) return undefined
  const url = URL.parse(`http://${text}/`)
  if (url?.port !== '' || url.pathname !== '/') return undefined
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  return isIP(host) !== 0 || NAME.test(host) ? host : undefined
}

/** `host:port` as CONNECT has it. With a default port, the port may be missing. */
export function parseAuthority(text: string, defaultPort?: number): Target | undefined {
  const [, hostText = '', portText] = AUTHORITY.exec(text) ?? []
  const host = canonicalHost(hostText)
  const port = portText === undefined ? defaultPort : Number(portText)
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined
  return { host, isAddress: isIP(host) !== 0, port }
}

/** The target and the path of an absolute-form request. Undefined unless it is plain http. */
export function parseAbsoluteForm(text: string): { target: Target; path: string } | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#\\]+)([/?][^#]*)?$/i.exec(text) ?? []
  const target = parseAuthority(authority, 80)
  return target && { target, path: rest.startsWith('/') ? rest : `/${rest}` }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }

/** The host and port that a browser asks for this address. */
export function targetOf(address: string): Target | undefined {
  const url = URL.parse(address)
  return url ? parseAuthority(url.host, DEFAULT_PORTS[url.protocol]) : undefined
}

/** `example.com:8080`, `[::1]:80`: one text per target. */
export function nameTarget({ host, port }: Target): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
