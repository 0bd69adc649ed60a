import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'

/** How long to wait for a page that went to another address by itself. It doubles with each attempt. */
export const HOLD_MS = 2_000
/** Requests under way have arrived and are drawn by then. */
const STILL_MS = 300

/** A page that refreshes itself to another address within this time is only on the way. */
const REFRESH_S = 5
const LOOK_MS = 25

export type Moves = Awaited<ReturnType<typeof watchMoves>>

export async function watchMoves(session: CDPSession) {
  let count = 0
  let page: { readonly id: string; readonly url: string } | undefined
  /** Where the page said that it would go soon, by `<meta http-equiv=refresh>` or the header `Refresh`. */
  let next: string | undefined
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return
    count++
    page = frame
    next = undefined
  })
  session.on('Page.frameScheduledNavigation', ({ frameId, url, delay, reason }) => {
    if (frameId === page?.id && delay <= REFRESH_S && /Refresh$/.test(reason) && url !== page.url) next = url
  })
  session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === page?.id) next = undefined
  })
  await session.send('Page.enable')
  return {
    /** How often the page loaded another document. A change of its address alone does not count. */
    count: () => count,
    /** Resolves when the page has said of no other address that it will go there soon. */
    async arrived(signal: AbortSignal): Promise<void> {
      while (next !== undefined) await sleep(LOOK_MS, undefined, { signal })
    },
  }
}

/** For a page that reloads itself again and again: it stays on the document that it has. */
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
 * Does `work`, but aborts it if the page has moved meanwhile: the browser may then never answer. `work` must stop when its
 * signal is aborted. Otherwise two would take pictures of one page at once, and get parts of each other's.
 */
export async function unless<T>(
  hasMoved: () => boolean,
  patienceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const answered = new AbortController()
  const until = AbortSignal.any([answered.signal, ...(signal ? [signal] : [])])
  const waitForMove = async (): Promise<never> => {
    do await sleep(patienceMs, undefined, { signal: until })
    while (!hasMoved())
    throw new Error('navigated meanwhile')
  }
  const moved = waitForMove()
  moved.catch(() => {})
  const working = work(until)
  working.catch(() => {})
  try {
    return await Promise.race([working, moved])
  } finally {
    answered.abort(new Error('navigated meanwhile'))
  }
}

/** The page has moved, or has not drawn anything yet: try again soon. */
export function movedOn(error: unknown): boolean {
  return /context was destroyed|navigat|Unable to capture|Cannot find context|frame was detached|Not attached to an active page/i.test(
    String((error as Error).message),
  )
}
