import { METHODS } from 'node:http'
import { AppError } from '../../errors.ts'
import type { Server } from '../context.ts'

/** All methods except CONNECT, which never reaches a route. */
const ANSWERED = METHODS.filter((method) => method !== 'CONNECT')

/** Every address answers 405 with `Allow` to methods that it does not support. Call before the operations. */
export function refuseOtherMethods(server: Server): { complete(): void } {
  const known = new Map<string, Set<string>>()
  for (const method of ANSWERED) {
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  }
  server.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    known.set(url, methods)
  })
  return {
    complete() {
      for (const [url, methods] of [...known]) {
        const allow = [...methods].sort().join(', ')
        server.route({
          method: ANSWERED.filter((method) => !methods.has(method)),
          url,
          schema: { hide: true },
          // Before the body is read: it does not matter.
          onRequest: async (_request, reply) => {
            reply.header('allow', allow)
            throw new AppError('method_not_allowed', `this address supports ${allow}`)
          },
          handler: async () => {},
        })
      }
    },
  }
}
