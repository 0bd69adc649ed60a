import type { ServerResponse } from 'node:http'

/** One error for all: making one for each answer would cost more than the rest of the work. */
const NOBODY_WAITS = new Error('the answer is over, or the client has gone')

/** Aborted when the answer is over, or the client has gone. */
export function whenClosed(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort(NOBODY_WAITS)
  if (response.destroyed) end()
  else response.once('close', end)
  return over.signal
}
