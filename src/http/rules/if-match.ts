import type { FastifyRequest } from 'fastify'
import { hasChanged } from '../../errors.ts'

export function etagOf({ revision }: { readonly revision: string }): string {
  return `"${revision}"`
}

/**
 * The revision that the row must still have when it is changed. Undefined if the client does not mind. Throws
 * `precondition_failed`. RFC 9110: `If-Match` compares strongly, and `*` matches everything that exists.
 */
export function expectedRevision(
  { headers }: FastifyRequest,
  row: { readonly revision: string },
): string | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  if (given.split(',').some((each) => each.trim() === etagOf(row))) return row.revision
  throw hasChanged()
}
