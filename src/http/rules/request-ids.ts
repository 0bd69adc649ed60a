import { randomBytes } from 'node:crypto'

/** Ids that no other request has: which process it was, and how many there were before. */
export function createRequestIds(): () => string {
  const process_ = randomBytes(9).toString('base64url')
  let requests = 0
  return () => `${process_}-${(requests++).toString(36)}`
}
