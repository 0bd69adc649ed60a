import { Lines } from '../../shares/lines.ts'

/** Requests that begin in one iteration of the event loop: a millisecond or two. */
const AT_ONCE = 16

/**
 * Requests that arrive together begin a few at a time, and clients take turns. So a client that opens many connections at
 * once does not delay the others.
 */
export function createAdmission(): (client: string, begin: () => void) => void {
  const lines = new Lines<() => void>()
  let begun = 0
  const beginSome = () => {
    begun = 0
    while (begun < AT_ONCE && !lines.isEmpty) {
      begun++
      lines.next()?.()
    }
    if (begun > 0) setImmediate(beginSome)
  }
  return (client, begin) => {
    if (begun < AT_ONCE && lines.isEmpty) {
      if (begun === 0) setImmediate(beginSome)
      begun++
      begin()
    } else lines.join(client, begin)
  }
}
