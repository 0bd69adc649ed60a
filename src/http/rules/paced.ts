import type { HttpContext, Server } from '../context.ts'
import { clientOf } from './client-of.ts'

/** Fifty in a second. Nobody signs in, makes keys or tests webhooks as often. */
const ACT_MS = 20

/** Operations that are small, but write and cause work: they have a distance of their own. */
export function paceActs(server: Server, { pace }: HttpContext): void {
  server.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.isPaced) await pace.wait(clientOf(request), ACT_MS)
  })
}
