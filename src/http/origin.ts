import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { HttpContext, Server } from './context.ts'

const HOST = /^(?<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/i
const LOOPBACK_NAME = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i

/** Where addresses in an answer begin: as configured, else as the client reached us. */
export function originOf(request: FastifyRequest, { config }: HttpContext): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  return `http://${request.headers.host?.toLowerCase() ?? ownHost(request.raw.socket)}`
}

function ownHost({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}

/** A request names one host, if any at all: HTTP/1.0 may leave it out. */
export function refuseOddHosts(server: Server): void {
  server.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length === 0 && raw.httpVersion === '1.0') return
    if (hosts.length !== 1) throw new AppError('bad_request', 'there must be one Host header')
    const match = HOST.exec(raw.headers.host ?? '')
    if (!match || Number(match.groups?.['port'] ?? 0) > 65_535) {
      throw new AppError('bad_request', 'the Host header is not a host name')
    }
  })
}

/**
 * Where no key is asked, a web page could reach us through a name of its own that it points at 127.0.0.1 (DNS
 * rebinding). Such a request carries that name.
 */
export function refuseForeignHosts(server: Server, { config }: HttpContext): void {
  if (config.auth !== 'open') return
  const own = config.publicUrl && new URL(config.publicUrl).hostname
  server.addHook('onRequest', async (request) => {
    // No browser leaves it out, and only a browser can be led astray.
    if (request.headers.host === undefined) return
    const name = HOST.exec(request.headers.host)?.groups?.['name']?.toLowerCase() ?? ''
    if (!LOOPBACK_NAME.test(name) && name !== own) {
      throw new AppError('host_not_allowed', 'ask for localhost, 127.0.0.1 or the host of PUBLIC_URL')
    }
  })
}
