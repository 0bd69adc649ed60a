import { Lines } from '../../shares/lines.ts'

/** Requests that are begun in one iteration of the event loop: a millisecond or two. */
const AT_ONCE = 16

/**
 * Requests that come together are begun a few at a time, by turns between clients: who opens many connections at once does
 * not keep others waiting until all of them are begun.
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
