import type { FastifyRequest } from 'fastify'

/** The client that has a share: the holder of a key, or a network address if no key is required. */
export function clientOf({ apiKey, ip }: FastifyRequest): string {
  return apiKey?.keyId ?? ip
}
