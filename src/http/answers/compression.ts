import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/** Whether a long answer is compressed: if the client asks for it, and is not on the same machine (docs/performance.md). */
export function wantsGzip({ headers, socket }: FastifyRequest, compress: Config['compress']): boolean {
  if (compress === 'never' || !acceptsGzip(String(headers['accept-encoding'] ?? ''))) return false
  return compress === 'always' || !LOOPBACK.test(socket.remoteAddress ?? '')
}

/** RFC 9110, 12.5.3. */
export function acceptsGzip(header: string): boolean {
  const codings = header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return { name, refused }
  })
  const found =
    codings.find(({ name }) => name === 'gzip' || name === 'x-gzip') ??
    codings.find(({ name }) => name === '*')
  return found !== undefined && !found.refused
}
