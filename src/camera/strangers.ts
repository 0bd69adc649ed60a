import type { CDPSession, Frame, Page } from 'playwright-core'
import { inEveryClosedRoot } from './every-frame.ts'
import { scrollBack } from './in-page/unveil.ts'
import { World } from './steps/world.ts'

/** Frames of other origins in a page with secrets. Some of them are in processes of their own. */
export class Strangers {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #world: World
  readonly #frames = new WeakSet<Frame>()
  readonly #apart = new WeakSet<Frame>()
  /** Those of both that have been stopped. */
  readonly #stopped = new WeakSet<Frame>()
  #first: string | undefined

  constructor(page: Page, session: CDPSession) {
    this.#page = page
    this.#session = session
    this.#world = new World(session)
  }

  /** The first origin. */
  get first(): string | undefined {
    return this.#first
  }

  /** `frame` has a document of this origin now. */
  note(origin: string, frame?: Frame): void {
    this.#first ??= origin
    if (!frame) return
    this.#frames.add(frame)
    this.#stopped.delete(frame)
  }

  /** `frame` has a process of its own, although its address is not of another origin. It stops, too. */
  noteApart(origin: string, frame: Frame): void {
    this.#first ??= origin
    this.#apart.add(frame)
    this.#stopped.delete(frame)
  }

  /** Whether there was such a document in it. */
  has(frame: Frame): boolean {
    return this.#frames.has(frame)
  }

  /**
   * Their scripts stop, and what they may have scrolled goes back. Own documents in them share the process of the page, which must go on.
   */
  async stop(): Promise<void> {
    const all = this.#page.frames().filter((frame) => this.has(frame) || this.#apart.has(frame))
    await Promise.all(all.map((frame) => this.#stopOne(frame)))
    await this.#world.ask(scrollBack)
    await inEveryClosedRoot(this.#session, scrollBack)
  }

  async #stopOne(frame: Frame): Promise<void> {
    if (this.#stopped.has(frame)) return
    this.#stopped.add(frame)
    // A frame in a process that has been stopped already has no session, and neither has one that is gone.
    const session = await this.#page
      .context()
      .newCDPSession(frame)
      .catch(() => undefined)
    if (!session) return
    session.on('Fetch.requestPaused', ({ requestId }) => {
      session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => {})
    })
    await Promise.all([
      session.send('Emulation.setScriptExecutionDisabled', { value: true }),
      // It cannot go on to a document whose scripts would run.
      session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
    ]).catch(() => {})
  }
}
