import type { CDPSession, Frame, Page } from 'playwright-core'
import { before } from './patience.ts'

/** The longest wait for a frame (iframe) that is kept busy. */
const FRAME_MS = 1_500
const OBJECTS = 'closed-roots'

/** Iframes that are gone or do not answer are skipped. */
export async function inEveryFrame(page: Page, work: (frame: Frame) => Promise<void>): Promise<void> {
  const end = performance.now() + FRAME_MS
  const [main, ...others] = page.frames()
  const done = others.map((frame) => work(frame).catch(() => {}))
  // The main frame has no limit here: the caller limits the time, and must see that the page has moved.
  if (main) await work(main)
  await before(end, () => Promise.all(done))
}

interface Node {
  readonly backendNodeId: number
  readonly shadowRootType?: 'user-agent' | 'open' | 'closed'
  readonly children?: readonly Node[]
  readonly shadowRoots?: readonly Node[]
  readonly contentDocument?: Node
}

/**
 * Calls a function on every shadow root of a page that its scripts keep to themselves (`mode: 'closed'`), also in frames of the same
 * process. Only the browser knows them.
 */
export async function inEveryClosedRoot(
  session: CDPSession,
  work: (root: ShadowRoot) => void,
): Promise<void> {
  try {
    const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true })
    for (const backendNodeId of closedRootsIn(root)) {
      const { object } = await session.send('DOM.resolveNode', { backendNodeId, objectGroup: OBJECTS })
      const functionDeclaration = `function () { (${work})(this) }`
      await session.send('Runtime.callFunctionOn', { objectId: object.objectId ?? '', functionDeclaration })
    }
  } finally {
    await session.send('DOM.disable').catch(() => {})
    await session.send('Runtime.releaseObjectGroup', { objectGroup: OBJECTS }).catch(() => {})
  }
}

function closedRootsIn(root: Node): number[] {
  const found: number[] = []
  const nodes = [root]
  for (const { backendNodeId, shadowRootType, children = [], shadowRoots = [], contentDocument } of nodes) {
    if (shadowRootType === 'closed') found.push(backendNodeId)
    nodes.push(...children, ...shadowRoots, ...(contentDocument ? [contentDocument] : []))
  }
  return found
}
