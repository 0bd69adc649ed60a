import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'

/** Patience with a page that has moved on by itself; more with each attempt. */
export const HOLD_MS = 2_000
/** What was on its way is there by then, and drawn. */
const STILL_MS = 300

/** How often the page went elsewhere; not where it only changed its own address. */
export async function countMoves(session: CDPSession): Promise<() => number> {
  let moves = 0
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined) moves++
  })
  await session.send('Page.enable')
  return () => moves
}

/** For a page that reloads itself over and over: wherever it wants to go, it stays, and what is there is drawn. */
export async function stayHere(session: CDPSession): Promise<void> {
  const asked = async () => {
    const { frameTree } = await session.send('Page.getFrameTree')
    session.on('Fetch.requestPaused', ({ requestId, frameId }) => {
      const answer =
        frameId === frameTree.frame.id
          ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
          : session.send('Fetch.continueRequest', { requestId })
      answer.catch(() => {})
    })
    await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
    await sleep(STILL_MS)
  }
  await unless(() => true, HOLD_MS, asked).catch(() => {})
}

/**
 * The browser may never answer for a page that leaves in that very moment: then the work is called off. It may do nothing
 * more once its signal says so, or two would take the same picture at once, and each would get some of the other's.
 */
export async function unless<T>(
  hasMoved: () => boolean,
  patienceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const answered = new AbortController()
  const until = AbortSignal.any([answered.signal, ...(signal ? [signal] : [])])
  const watch = async (): Promise<never> => {
    do await sleep(patienceMs, undefined, { signal: until })
    while (!hasMoved())
    throw new Error('navigated meanwhile')
  }
  const moved = watch()
  moved.catch(() => {})
  const working = work(until)
  working.catch(() => {})
  try {
    return await Promise.race([working, moved])
  } finally {
    answered.abort(new Error('navigated meanwhile'))
  }
}

/** The page went elsewhere, or has not drawn anything yet: soon it can be asked again. */
export function movedOn(error: unknown): boolean {
  return /context was destroyed|navigat|Unable to capture|Cannot find context|frame was detached|Not attached to an active page/i.test(
    String((error as Error).message),
  )
}
