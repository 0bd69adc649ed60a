import type { FastifyReply } from 'fastify'
import { clientOf, type HttpContext, type Server } from '../context.ts'

/** Clients that are counted in one period. If there are more, the oldest is forgotten. */
const MAX_CLIENTS = 100_000

/** Counts a request of a client. Throws `rate_limited` if it is one too many. */
export type CountRequest = (client: string, reply: FastifyReply) => void

/** A fixed period for each key, or for each client address if no key is asked for. */
export function createRate({ config, clock, refusals }: HttpContext): CountRequest {
  const limit = config.rateLimit
  if (!limit) return () => {}
  const { requests, periodMs } = limit
  const seconds = Math.ceil(periodMs / 1000)
  let periodEnds = 0
  const used = new Map<string, number>()

  return (client, reply) => {
    const now = clock()
    // If the period ends too late, the clock was ahead when it began.
    if (now >= periodEnds || periodEnds - now > periodMs) {
      used.clear()
      periodEnds = now - (now % periodMs) + periodMs
    }
    const count = (used.get(client) ?? 0) + 1
    used.set(client, count)
    if (used.size > MAX_CLIENTS) used.delete(used.keys().next().value ?? '')
    const reset = Math.max(1, Math.ceil((periodEnds - now) / 1000))
    reply.header('ratelimit-policy', `"default";q=${requests};w=${seconds}`)
    reply.header('ratelimit', `"default";r=${Math.max(0, requests - count)};t=${reset}`)
    if (count > requests) {
      throw refusals.refuse('requests', `at most ${requests} requests in ${seconds} s`, reset)
    }
  }
}

/** Requests without a valid key were counted when they were refused. */
export function limitRate(server: Server, { config }: HttpContext, count: CountRequest): void {
  if (!config.rateLimit) return
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.access !== 'everyone') count(clientOf(request), reply)
  })
}
