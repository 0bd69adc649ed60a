import type { FastifyRequest } from 'fastify'

/** The client that has a share: the holder of a key, or an address if no key is asked for. */
export function clientOf({ apiKey, ip }: FastifyRequest): string {
  return apiKey?.keyId ?? ip
}
