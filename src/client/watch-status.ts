import { isFinal } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import { EventParser } from './event-parser.ts'
import { openEvents } from './open-events.ts'
import { Patience } from './patience.ts'
import { pause } from './pause.ts'
import type { Wire } from './wire.ts'

/** The whole status with everything that changes, over as many connections as it takes. */
export async function* watchStatus(
  wire: Wire,
  path: string,
  { signal, patience: seconds = Number.POSITIVE_INFINITY }: WatchOptions,
): AsyncGenerator<RootStatus, void, undefined> {
  const patience = new Patience(seconds)
  let status: RootStatus | undefined
  let parser = new EventParser()
  while (!signal?.aborted) {
    parser = new EventParser(parser.lastEventId, parser.retryMs)
    patience.begin()
    try {
      const stream = await openEvents<RootStatus>(wire, path, { type: 'status', parser, signal })
      if (!stream) return
      for await (const events of stream) {
        patience.answered()
        for (const news of events) {
          patience.brought()
          status = merge(status, news)
          yield status
          if (isFinal(status.state)) return
        }
      }
    } catch (error) {
      if (signal?.aborted) return
      patience.bear(error)
    }
    await pause(patience.nextPause(parser.retryMs), signal)
  }
}

export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Seconds without an answer until it throws what is wrong. Without it: never. */
  readonly patience?: number | undefined
}

/** An event tells of those pages that changed since the one before. */
function merge(known: RootStatus | undefined, news: RootStatus): RootStatus {
  const pages = new Map([...(known?.urls ?? []), ...news.urls].map((page) => [page.position, page]))
  return { ...news, urls: [...pages.values()].sort((one, other) => one.position - other.position) }
}
