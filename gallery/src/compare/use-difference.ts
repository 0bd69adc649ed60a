import { useEffect, useState } from 'preact/hooks'
import type { JobResult } from '../../../src/contract/results.ts'
import { explain } from '../parts/problem.tsx'
import { client } from '../session.ts'
import type { Compared } from './worker.ts'

/** A browser has about enough memory for two pictures of this size. */
const MOST_PIXELS = 40_000_000

export type Difference =
  | { readonly state: 'measuring' }
  | { readonly state: 'failed'; readonly mistake: string; readonly retry?: () => void }
  | { readonly state: 'measured'; readonly share: number; readonly marked: ImageBitmap }

const MEASURING: Difference = { state: 'measuring' }

/** How much of one picture is different in the other. */
export function useDifference(before: JobResult | undefined, after: JobResult | undefined): Difference {
  const name = `${before?.uuid} ${after?.uuid}`
  const [round, setRound] = useState(0)
  const [found, setFound] = useState<{ name: string; difference: Difference }>()
  useEffect(() => {
    if (!before || !after) return
    const left = new AbortController()
    let last: Difference = MEASURING
    const tell = (difference: Difference) => {
      last = difference
      if (left.signal.aborted) forget(last)
      else setFound({ name, difference })
    }
    compare(before, after, left.signal).then(tell, (error) =>
      tell({ state: 'failed', mistake: explain(error), retry: () => setRound((count) => count + 1) }),
    )
    return () => {
      left.abort()
      forget(last)
      setFound(undefined)
    }
  }, [name, round])
  return found?.name === name ? found.difference : MEASURING
}

/** Frees the memory of the picture at once. */
function forget(difference: Difference): void {
  if (difference.state === 'measured') difference.marked.close()
}

async function compare(before: JobResult, after: JobResult, signal: AbortSignal): Promise<Difference> {
  const [one, other] = [before.screenshotParameter, after.screenshotParameter]
  // Both are drawn on a canvas that is large enough for each.
  if (Math.max(one.width, other.width) * Math.max(one.height, other.height) > MOST_PIXELS) {
    return { state: 'failed', mistake: 'These pictures are too large to be compared in a browser.' }
  }
  // Through the service: a bucket would have to allow other origins.
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
