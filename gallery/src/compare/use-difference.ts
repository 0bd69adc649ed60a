import { useEffect, useState } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import { client } from '../session.ts'
import type { Compared } from './worker.ts'

/** Two of these are about what a browser has memory for. */
const MOST_PIXELS = 40_000_000

export type Difference =
  | { readonly state: 'measuring' }
  | { readonly state: 'failed'; readonly mistake: string }
  | { readonly state: 'measured'; readonly share: number; readonly marked: ImageBitmap }

const MEASURING: Difference = { state: 'measuring' }

/** How much of one picture is different in the other. */
export function useDifference(before: JobResult | undefined, after: JobResult | undefined): Difference {
  const name = `${before?.uuid} ${after?.uuid}`
  const [found, setFound] = useState<{ name: string; difference: Difference }>()
  useEffect(() => {
    if (!before || !after) return
    const left = new AbortController()
    const tell = (difference: Difference) => {
      if (!left.signal.aborted) setFound({ name, difference })
    }
    compare(before, after, left.signal).then(tell, (error) =>
      tell({ state: 'failed', mistake: String(error) }),
    )
    return () => left.abort()
  }, [name])
  return found?.name === name ? found.difference : MEASURING
}

async function compare(before: JobResult, after: JobResult, signal: AbortSignal): Promise<Difference> {
  const pixels = [before, after].map(({ screenshotParameter: { width, height } }) => width * height)
  if (Math.max(...pixels) > MOST_PIXELS) {
    return { state: 'failed', mistake: 'These pictures are too large to be compared in a browser.' }
  }
  // Through the service and not from a bucket, which would have to allow it.
  const read = async ({ projectId, rootId, uuid }: JobResult) =>
    (await client.fetchPicture(projectId, rootId, uuid, { signal })).blob()
  const [first, second] = await Promise.all([read(before), read(after)])
  const compared = await work(first, second, signal)
  return 'mistake' in compared
    ? { state: 'failed', mistake: 'The browser could not compare these pictures.' }
    : { state: 'measured', ...compared }
}

function work(before: Blob, after: Blob, signal: AbortSignal): Promise<Compared> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  const answered = new Promise<Compared>((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => resolve(data))
    worker.addEventListener('error', ({ message }) => resolve({ mistake: message }))
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  worker.postMessage({ before, after })
  return answered.finally(() => worker.terminate())
}
