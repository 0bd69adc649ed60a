import type { ServerResponse } from 'node:http'

/** One for all: an error of its own for each would take longer than everything else that is done for it. */
const NOBODY_WAITS = new Error('nobody waits for the answer any more')

/** Tells that the answer is over, or nobody is there to read it. */
export function whenClosed(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort(NOBODY_WAITS)
  if (response.destroyed) end()
  else response.once('close', end)
  return over.signal
}
