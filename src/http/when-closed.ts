import type { ServerResponse } from 'node:http'

/** Tells that the answer is over, or nobody is there to read it. */
export function whenClosed(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort(new Error('nobody waits for the answer any more'))
  if (response.destroyed) end()
  else response.once('close', end)
  return over.signal
}
