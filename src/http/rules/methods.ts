import { METHODS } from 'node:http'
import { AppError } from '../../errors.ts'
import type { Server } from '../context.ts'

/** Methods that never reach a route: CONNECT is no request for a resource. */
const ANSWERED = METHODS.filter((method) => method !== 'CONNECT')

/** Gives every address a 405 with `Allow` for the methods it does not have. Call before the operations. */
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
          // Before any body is read or parsed: what it holds does not matter.
          onRequest: async (_request, reply) => {
            reply.header('allow', allow)
            throw new AppError('method_not_allowed', `this address answers ${allow}`)
          },
          handler: async () => {},
        })
      }
    },
  }
}
