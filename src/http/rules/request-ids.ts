import { randomBytes } from 'node:crypto'

/** Unique ids: a random part for the process, and a number for the request. */
export function createRequestIds(): () => string {
  const process_ = randomBytes(9).toString('base64url')
  let requests = 0
  return () => `${process_}-${(requests++).toString(36)}`
}
