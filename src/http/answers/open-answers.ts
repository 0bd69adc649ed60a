import { setImmediate as nextIteration } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GivenKey } from '../../access/keys.ts'
import { clientOf, type HttpContext, type Server } from '../context.ts'

/** Our own client gives up a silent connection after 45 s. Proxies close one, too: nginx after 60 s, by default. */
const LONGEST_SILENCE_MS = 40_000
/** Of `IDLE_TIMEOUT`. */
const LONGEST_SILENCE_SHARE = 2 / 3
/** How often keys are checked. A revoked key works at most this long. */
const KEYS_MS = 2_000
/** Signs of life in one iteration of the event loop. */
const BEATS_AT_ONCE = 50
/** By then, one of many answers may be over. */
const RETRY_AFTER_S = 10

/** An answer that stays open and waits for changes. */
export interface OpenAnswer {
  /** Gives a sign of life. */
  beat(): void
  /** `revoked`: its key is no longer valid. */
  end(why: 'closing' | 'revoked'): void
}

/** The answers that wait for changes, so many for each client. They are kept alive, and end with the service or with their key. */
export class OpenAnswers {
  readonly #context: HttpContext
  readonly #silenceMs: number
  /** When each last sent a byte. The most recent one is last. */
  readonly #open = new Map<OpenAnswer, number>()
  readonly #byClient = new Map<string, number>()
  /** Those that were opened with a key. */
  readonly #given = new Map<OpenAnswer, GivenKey>()
  #isClosing = false

  constructor(server: Server, context: HttpContext) {
    this.#context = context
    this.#silenceMs = Math.floor(
      Math.min(LONGEST_SILENCE_MS, context.config.limits.idleMs * LONGEST_SILENCE_SHARE),
    )
    const timers = [
      setInterval(() => void this.#beat(), this.#silenceMs / 25).unref(),
      setInterval(() => void this.#endRevoked(), KEYS_MS).unref(),
    ]
    server.addHook('preClose', (done) => {
      this.#isClosing = true
      for (const answer of this.#open.keys()) answer.end('closing')
      done()
    })
    server.addHook('onClose', (_server, done) => {
      timers.forEach(clearInterval)
      done()
    })
  }

  /** Adds an answer, until it is over. Throws `rate_limited` if its client has too many. */
  open(request: FastifyRequest, { raw }: FastifyReply, answer: OpenAnswer): void {
    const client = clientOf(request)
    const most = this.#context.config.limits.streams
    const count = this.#byClient.get(client) ?? 0
    if (count >= most) {
      const detail = `${most} answers that wait for changes are open already (MAX_STREAMS_PER_CLIENT): close one of them first`
      throw this.#context.refusals.refuse('streams', detail, RETRY_AFTER_S)
    }
    // The client may have gone while its key or its root was looked up. No event follows then.
    if (this.#isClosing || raw.destroyed) {
      answer.end('closing')
      return
    }
    this.#byClient.set(client, count + 1)
    this.#open.set(answer, performance.now())
    if (request.givenKey) this.#given.set(answer, request.givenKey)
    raw.once('close', () => {
      this.#open.delete(answer)
      this.#given.delete(answer)
      const left = (this.#byClient.get(client) ?? 1) - 1
      if (left > 0) this.#byClient.set(client, left)
      else this.#byClient.delete(client)
      answer.end('closing')
    })
  }

  /** Something was sent, so no sign of life is needed for a while. */
  moved(answer: OpenAnswer): void {
    if (this.#open.delete(answer)) this.#open.set(answer, performance.now())
  }

  async #beat(): Promise<void> {
    const due = performance.now() - this.#silenceMs
    let beats = 0
    for (const [answer, movedAt] of this.#open) {
      if (movedAt > due) return
      this.moved(answer)
      answer.beat()
      if (++beats % BEATS_AT_ONCE === 0) await nextIteration()
    }
  }

  async #endRevoked(): Promise<void> {
    const { keys } = this.#context
    const groups = Map.groupBy(this.#given, ([, { hash, session }]) => `${hash} ${session}`)
    const ends = Array.from(groups.values(), async (same) => {
      const given = same[0]?.[1]
      if (given && !(await keys.isValid(given))) for (const [answer] of same) answer.end('revoked')
    })
    // If the database does not answer, keys count as valid.
    await Promise.all(ends).catch(() => {})
  }
}
