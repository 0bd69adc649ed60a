import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { METHODS } from '../../node-http.ts'
import type { Server } from '../context.ts'

/** All methods except CONNECT, which never reaches a route. */
const ANSWERED = METHODS.filter((method) => method !== 'CONNECT')

type Address = ReturnType<typeof toAddress>

/**
 * Every address answers 405 with `Allow` to methods that it does not support, and an unknown address answers 404. Call before the
 * operations. A route for each method would be thousands: an address is looked up when no route was found.
 */
export function refuseOtherMethods(server: Server): void {
  const known = new Map<string, Address>()
  let sorted: readonly Address[] | undefined
  for (const method of ANSWERED) {
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  }
  server.addHook('onRoute', ({ url, method }) => {
    const address = known.get(url) ?? toAddress(url)
    for (const each of [method].flat()) address.methods.add(each)
    known.set(url, address)
  })
  const find = (path: string): Address | undefined => {
    // Of several, the one with fewer variables is meant, as for routes.
    sorted ??= [...known.values()].sort((one, other) => one.variables - other.variables)
    return sorted.find(({ pattern }) => pattern.test(path))
  }
  server.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    const address = find(request.url.split('?', 1)[0] ?? '')
    if (!address) throw new AppError('not_found')
    const allow = [...address.methods].sort().join(', ')
    reply.header('allow', allow)
    throw new AppError('method_not_allowed', `this address supports ${allow}`)
  })
}

/** `/api/projects/:projectId` and `/assets/*`. */
function toAddress(url: string) {
  const parts = url.split(/(:\w+|\*)/)
  const pattern = parts.map((part, index) =>
    index % 2 === 0 ? RegExp.escape(part) : part === '*' ? '.*' : '[^/]+',
  )
  return {
    pattern: new RegExp(`^${pattern.join('')}$`),
    variables: (parts.length - 1) / 2,
    methods: new Set<string>(),
  }
}
