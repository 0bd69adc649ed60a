import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { HttpContext, Server } from '../context.ts'

const HOST = /^(?<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i
const LOOPBACK_NAME = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i

const NOT_OURS =
  'is neither localhost, 127.0.0.1 nor the host of PUBLIC_URL. Behind a proxy, set PUBLIC_URL to the address that clients use, and let ' +
  'the proxy pass on their Host header (nginx: proxy_set_header Host $host)'

/** The origin of addresses in an answer: PUBLIC_URL, or the host that the client named. */
export function originOf(request: FastifyRequest, { config }: HttpContext): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  const { host } = request.raw.headers
  if (host === undefined) return `http://${ownHost(request.raw.socket)}`
  // Almost every request names the same host as the last one. The same string object makes later look-ups faster.
  if (host !== last.host) last = { host, origin: `http://${host.toLowerCase()}` }
  return last.origin
}

let last = { host: '', origin: '' }

function ownHost({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}

/**
 * A request must name one host. Only HTTP/1.0 may leave it out. Other hosts are refused if no key is asked for: a web page
 * could reach the service through its own name that points at 127.0.0.1 (DNS rebinding). Its requests carry that name.
 */
export function refuseOtherHosts(server: Server, { config }: HttpContext): void {
  const own = config.publicUrl && new URL(config.publicUrl).hostname
  const isOurs = (name: string) => config.auth !== 'open' || LOOPBACK_NAME.test(name) || name === own
  // Almost every request names the same host as the last one.
  let accepted: string | undefined
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    const count = countHosts(raw.rawHeaders)
    // Every browser sends a Host header, and only a browser can be misused.
    if (count === 0 && raw.httpVersion === '1.0') return done()
    if (count !== 1) return done(new AppError('bad_request', 'there must be one Host header'))
    const host = raw.headers.host ?? ''
    if (host === accepted) return done()
    const { name = '', port = '0' } = HOST.exec(host)?.groups ?? {}
    if (name === '' || Number(port) > 65_535) {
      return done(new AppError('bad_request', 'the Host header is not a host name'))
    }
    if (!isOurs(name.toLowerCase())) {
      return done(new AppError('host_not_allowed', `${name} ${NOT_OURS}`))
    }
    accepted = host
    done()
  })
}

/** Names and values of headers take turns. */
function countHosts(rawHeaders: readonly string[]): number {
  const isHost = (name: string) => name.length === 4 && name.toLowerCase() === 'host'
  return rawHeaders.filter((name, index) => index % 2 === 0 && isHost(name)).length
}
