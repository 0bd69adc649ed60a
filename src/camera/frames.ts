import type { CDPSession } from 'playwright-core'
import { before } from './patience.ts'

/** A page that is busy for longer is not asked again. The request that is judged waits meanwhile. */
const ANSWER_MS = 10_000
const WORLD = 'proofsheet-frames'

type Tree = Awaited<ReturnType<typeof readTree>>

export interface Frame {
  readonly id: string
  /** Of its document. */
  readonly loaderId: string
  /** As the document sees it: that of a sandboxed one is `null`. Undefined: there is no document yet. */
  readonly origin: string | undefined
}

/** The origins in the frames of a page. */
export class Frames {
  readonly #session: CDPSession
  /** By document. */
  readonly #origins = new Map<string, string>()

  constructor(session: CDPSession) {
    this.#session = session
  }

  /**
   * The frame and those around it, from the inside out. Undefined: the page does not say. It does not while the outermost frame itself
   * is being navigated.
   */
  async around(frameId: string): Promise<Frame[] | undefined> {
    const asked = async () => {
      const path = pathTo(await readTree(this.#session), frameId)
      return path && (await Promise.all(path.map((each) => this.#see(each))))
    }
    return await before(performance.now() + ANSWER_MS, asked).catch(() => undefined)
  }

  async #see({ id, url, loaderId }: Tree['frame']): Promise<Frame> {
    // It has had no document yet: the frame around it fills it.
    if (url === '') return { id, loaderId, origin: undefined }
    const origin = this.#origins.get(loaderId) ?? (await this.#askOrigin(id))
    this.#origins.set(loaderId, origin)
    return { id, loaderId, origin }
  }

  async #askOrigin(frameId: string): Promise<string> {
    const made = await this.#session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD })
    const contextId = made.executionContextId
    const { result } = await this.#session.send('Runtime.evaluate', { contextId, expression: 'origin' })
    return String(result.value)
  }
}

export async function outermostOf(session: CDPSession): Promise<string> {
  return (await readTree(session)).frame.id
}

async function readTree(session: CDPSession) {
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
