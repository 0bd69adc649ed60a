import type { ServerResponse } from 'node:http'
import type { KnownRoot } from '../../access/door.ts'
import type { RootWatchers, Watcher } from '../../capture/root-watchers.ts'
import type { StatusBytes } from '../../capture/statuses.ts'
import type { ByteBudget } from '../../shares/byte-budget.ts'
import type { InTurn } from '../../shares/fair-turns.ts'
import type { OpenAnswer } from './open-answers.ts'
import { SMALL_BYTES } from './send-answer.ts'
import { whenClosed } from './when-closed.ts'

export interface EventStreamOptions {
  readonly root: KnownRoot
  readonly client: string
  readonly since: number
  readonly watchers: RootWatchers
  readonly inTurn: InTurn
  readonly response: ServerResponse
  readonly unread: ByteBudget
  /** Called when the client has read something. */
  readonly onMoved: () => void
  readonly onError: (error: unknown) => void
}

/** One client that watches a root. Changes while it reads an event come with the next one. */
export class EventStream implements Watcher, OpenAnswer {
  readonly client: string
  since: number
  readonly #options: EventStreamOptions
  /** The newest known version. */
  #newest = 0
  /** The last event must be sent again. */
  #isOld = false
  #isBusy = false
  isOver = false

  constructor(options: EventStreamOptions) {
    this.client = options.client
    this.since = options.since
    this.#options = options
  }

  wake(version: number): void {
    this.#newest = Math.max(this.#newest, version)
    this.#goOn()
  }

  wakeAgain(): void {
    this.#isOld = true
    this.#goOn()
  }

  #goOn(): void {
    if (this.#isBusy || this.isOver || !(this.#newest > this.since || this.#isOld)) return
    this.#isOld = false
    const { watchers, root, inTurn } = this.#options
    const version = Math.max(this.#newest, this.since)
    const kept = watchers.statuses.kept(root, this.since, version)
    if (kept) {
      this.#send(kept)
      return
    }
    this.#isBusy = true
    watchers.statuses.read(root, this.since, version, inTurn).then(
      (status) => {
        this.#isBusy = false
        if (status) this.#send(status)
        else this.end()
      },
      (error) => this.fail(error),
    )
  }

  fail(error: unknown): void {
    if (!this.isOver && !this.#options.response.destroyed) this.#options.onError(error)
    this.isOver = true
  }

  beat(): void {
    // A client that is still reading an event needs no sign of life. For all others, nothing waits to be written.
    if (!this.#isBusy && !this.isOver) this.#options.response.write(':\n\n')
  }

  /** A proper end: the client may connect again. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    // If the headers are not sent, the operation ends the answer.
    if (this.#options.response.headersSent) this.#options.response.end()
  }

  #send(status: StatusBytes): void {
    if (this.isOver) return
    this.#isBusy = true
    if (status.event.length <= SMALL_BYTES) this.#write(status)
    else void this.#sendLarge(status).catch((error) => this.fail(error))
  }

  /** Waits for memory, while the status may change, and for a turn: copying a megabyte takes as long as other pieces. */
  async #sendLarge({ event, version }: StatusBytes): Promise<void> {
    const { unread, response, watchers, root, inTurn } = this.#options
    const { giveBack } = await unread.take(this.client, event.length, whenClosed(response))
    try {
      const status = await watchers.statuses.read(root, this.since, version, inTurn)
      response.once('close', giveBack)
      await inTurn(async () => {
        if (!status || this.isOver || response.destroyed) return giveBack()
        // Corked, so that the bytes are written within this turn. Node would write them after it.
        response.socket?.cork()
        this.#write(status, giveBack)
        response.socket?.uncork()
      })
    } catch (error) {
      giveBack()
      throw error
    }
  }

  #write({ event, version, isFinal }: StatusBytes, giveBack?: () => void): void {
    this.since = version
    this.#options.response.write(event, () => {
      giveBack?.()
      this.#isBusy = false
      this.#options.onMoved()
      if (isFinal) this.end()
      else this.#goOn()
    })
  }
}
