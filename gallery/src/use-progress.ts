import { useEffect, useRef, useState } from 'preact/hooks'
import type { RootOverview } from '../../src/contract/browsing.ts'
import { isFinal, type RootStatus } from '../../src/contract/status.ts'
import { client } from './session.ts'

/** New pictures are fetched at most this often. */
const LOOK_MS = 700

/**
 * The status of a root, with the options of its request. An import has none. `onPictures` is called when there are more
 * pictures than before.
 */
export function useProgress(
  projectId: string,
  overview: RootOverview | undefined,
  onPictures: () => void,
): { status: RootStatus | undefined; failure: unknown } {
  const [status, setStatus] = useState<RootStatus>()
  const [failure, setFailure] = useState<unknown>()
  const told = useRef(onPictures)
  told.current = onPictures
  const rootId = overview?.rootId
  const live = overview !== undefined && !isFinal(overview.state)
  const wasAsked = overview?.view !== undefined
  useEffect(() => {
    if (rootId === undefined || (!live && !wasAsked)) return
    const left = new AbortController()
    // The list may be older than the status: it is always read once more.
    let done = -1
    let due: ReturnType<typeof setTimeout> | undefined
    const follow = async () => {
      if (!live) return setStatus(await client.getStatus(projectId, rootId, { signal: left.signal }))
      for await (const next of client.watchStatus(projectId, rootId, { signal: left.signal })) {
        setStatus(next)
        if (next.counts.done === done) continue
        done = next.counts.done
        due ??= setTimeout(() => {
          due = undefined
          told.current()
        }, LOOK_MS)
      }
    }
    follow().catch((error) => {
      if (!left.signal.aborted) setFailure(error)
    })
    return () => {
      left.abort()
      clearTimeout(due)
    }
  }, [projectId, rootId, live, wasAsked])
  return { status, failure }
}
