import type { CDPSession, Frame, Page } from 'playwright-core'
import { CaptureFailure } from './camera.ts'
import { inEveryClosedRoot } from './every-frame.ts'
import { scrollBack } from './in-page/unveil.ts'
import { before } from './patience.ts'
import { World } from './steps/world.ts'

/** A frame that is busy for longer could scroll the page until the moment of the picture. */
const STOP_MS = 8_000

/** Frames of other origins in a page with secrets. Some of them are in processes of their own. */
export class Strangers {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #world: World
  readonly #frames = new WeakSet<Frame>()
  readonly #apart = new WeakSet<Frame>()
  /** Those of both that have been told to stop. Settled when they have. */
  readonly #stopped = new WeakMap<Frame, Promise<unknown>>()
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

  /** `frame` has a document of this origin now. `null`: of none. */
  note(origin: string, frame?: Frame): void {
    this.#first ??= origin === 'null' ? 'no origin' : origin
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
    const stopped = await before(performance.now() + STOP_MS, () =>
      Promise.all(all.map((frame) => this.#stopOnce(frame))),
    )
    if (!stopped) {
      const why = `A frame of ${this.#first} could not be stopped. Beside a password, a header or a cookie, no picture of that is taken.`
      throw new CaptureFailure('unsteady', why)
    }
    await this.#world.ask(scrollBack)
    await inEveryClosedRoot(this.#session, scrollBack)
  }

  #stopOnce(frame: Frame): Promise<unknown> {
    const stopped = this.#stopped.get(frame) ?? this.#stopOne(frame)
    this.#stopped.set(frame, stopped)
    return stopped
  }

  async #stopOne(frame: Frame): Promise<void> {
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
