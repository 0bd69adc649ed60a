import type { FastifyRequest } from 'fastify'

/** Who shares what is finite with the others: the holder of a key, or a client address where no key is asked. */
export function clientOf({ apiKey, ip }: FastifyRequest): string {
  return apiKey?.keyId ?? ip
}
