import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { cannotWrite } from '../errors.ts'

/** The pause after a look has failed: the storage is away. */
export const AWAY_MS = 5_000
/** Then closing does not wait for the database. */
const CLOSE_MS = 5_000

export interface LoopOptions {
  /** Its work, for the log: 'schedules'. */
  readonly name: string
  /** Does what there is to do. Returns for how long there is nothing more, in milliseconds. */
  readonly look: (closing: AbortSignal) => Promise<number>
  readonly log: Pick<Logger, 'error'>
  /** The delay of the first look. A process that has just started does other things first. */
  readonly firstMs?: number
}

export type Loop = ReturnType<typeof openLoop>

/** Looks again and again: when the time has come that the last look has named, or when it is woken. */
export function openLoop({ name, look, log, firstMs = 0 }: LoopOptions) {
  const closing = new AbortController()
  let isWoken = false
  let rouse = () => {}
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isWoken || closing.signal.aborted) return resolve()
      const timer = setTimeout(resolve, ms)
      rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async (): Promise<void> => {
    if (firstMs > 0) await rest(firstMs)
    while (!closing.signal.aborted) {
      // Before the look: a wake during it must not be missed.
      isWoken = false
      const pause = await look(closing.signal).catch((error) => {
        // That nothing can be written is logged once, for all.
        if (!cannotWrite(error)) log.error({ err: error }, `${name} cannot be read at the moment`)
        isWoken = false
        return AWAY_MS
      })
      await rest(pause)
    }
  }
  // Not at once: `look` may use the loop that is returned here.
  const running = Promise.resolve().then(run)
  return {
    /** There is something to do now. */
    wake(): void {
      isWoken = true
      rouse()
    },
    /** Does not look again. `ends`: what the last look has left behind. Waits for no longer than `withinMs`. */
    async close(withinMs = CLOSE_MS, ends: () => Promise<unknown> = async () => {}): Promise<void> {
      closing.abort(new Error('the service stops'))
      rouse()
      const ended = running.then(ends)
      const tooLong = sleep(withinMs, 'too long', { ref: false })
      if ((await Promise.race([ended, tooLong])) === 'too long') log.error(`${name} did not stop in time`)
    },
  }
}
