import type { Server } from '../context.ts'

/**
 * Scripts that were written for Websiteshot print addresses of its web page. They lead to the same root in the gallery. If
 * there is no such root, the gallery says so.
 */
export function oldAddresses(server: Server): void {
  server.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:projectId/screenshots/:jobId',
    config: { access: 'everyone' },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { jobId } = request.params as { jobId: string }
      // Dots alone would lead to another place.
      const step = encodeURIComponent(jobId).replace(/^\.\.?$/, '-')
      // A relative address is also right behind a proxy that adds a path.
      return await reply.code(302).header('location', `../roots/${step}`).send()
    },
  })
}
