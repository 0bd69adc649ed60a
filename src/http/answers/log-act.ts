import type { FastifyRequest } from 'fastify'

/** One line for everything that was made, changed, removed or run, with the id of the key. */
export function logAct(
  request: FastifyRequest,
  act: string,
  what: Readonly<Record<string, string | undefined>>,
): void {
  request.log.info({ reqId: request.id, ...(request.apiKey && { key: request.apiKey.keyId }), ...what }, act)
}
