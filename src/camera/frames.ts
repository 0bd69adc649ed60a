import type { CDPSession } from 'playwright-core'
import { before } from './patience.ts'

/** A page that is busy for longer is not asked again. The request that is judged waits meanwhile. */
const ANSWER_MS = 10_000
const WORLD = 'proofsheet-frames'

/** The frames of a process, as the browser tells them. */
export interface Tree {
  readonly frame: {
    readonly id: string
    readonly loaderId: string
    readonly url: string
    readonly parentId?: string
  }
  readonly childFrames?: readonly Tree[]
}

export interface Frame {
  readonly id: string
  /** Of its document. */
  readonly loaderId: string
  readonly url: string
  /** As the document sees it: that of a sandboxed one is `null`. Undefined: there is no document yet. */
  readonly origin: string | undefined
}

export type Frames = ReturnType<typeof createFrames>

/** The frames in the process of a page. */
export function createFrames(session: CDPSession) {
  /** By document. */
  const origins = new Map<string, string>()
  const askOrigin = async (frameId: string) => {
    const made = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD })
    const contextId = made.executionContextId
    const { result } = await session.send('Runtime.evaluate', { contextId, expression: 'origin' })
    return String(result.value)
  }
  const see = async ({ id, url, loaderId }: Tree['frame']): Promise<Frame> => {
    // It has had no document yet: the frame around it fills it.
    if (url === '') return { id, loaderId, url, origin: undefined }
    const origin = origins.get(loaderId) ?? (await askOrigin(id))
    origins.set(loaderId, origin)
    return { id, loaderId, url, origin }
  }
  const seeAll = (choose: (tree: Tree) => Tree['frame'][] | undefined) => {
    const asked = async () => {
      const chosen = choose(await readTree(session))
      return chosen && (await Promise.all(chosen.map(see)))
    }
    return before(performance.now() + ANSWER_MS, asked).catch(() => undefined)
  }
  return {
    /**
     * A frame and those around it, from the inside out. Undefined: the page does not say. It does not while the outermost frame itself is
     * being navigated.
     */
    around: (frameId: string): Promise<Frame[] | undefined> => seeAll((tree) => pathTo(tree, frameId)),
    /** All of them. Frames in other processes are not among them. */
    all: (): Promise<Frame[] | undefined> => seeAll(allOf),
  }
}

function allOf({ frame, childFrames = [] }: Tree): Tree['frame'][] {
  return [frame, ...childFrames.flatMap(allOf)]
}

export async function outermostOf(session: CDPSession): Promise<string> {
  return (await readTree(session)).frame.id
}

export async function readTree(session: CDPSession): Promise<Tree> {
  return (await session.send('Page.getFrameTree')).frameTree
}

function pathTo(tree: Tree, frameId: string): Tree['frame'][] | undefined {
  if (tree.frame.id === frameId) return [tree.frame]
  for (const child of tree.childFrames ?? []) {
    const path = pathTo(child, frameId)
    if (path) return [...path, tree.frame]
  }
  return undefined
}
