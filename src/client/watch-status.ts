import { isFinal } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import { EventParser } from './event-parser.ts'
import { openEvents } from './open-events.ts'
import { Patience } from './patience.ts'
import { pause } from './pause.ts'
import { limitSilence } from './silence.ts'
import type { Wire } from './wire.ts'

export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Seconds without an answer after which it throws. By default it waits for ever. */
  readonly patience?: number | undefined
}

/** Gives the whole status at every change, over as many connections as it takes. */
export async function* watchStatus(
  wire: Wire,
  paths: { readonly events: string; readonly status: string },
  { signal, patience: seconds = Number.POSITIVE_INFINITY }: WatchOptions,
): AsyncGenerator<RootStatus, void, undefined> {
  const patience = new Patience(seconds)
  let known: RootStatus | undefined
  let parser = new EventParser()
  let eventsComeThrough = true
  while (!signal?.aborted) {
    parser = new EventParser(parser.lastEventId, parser.retryMs)
    patience.begin()
    let heard = false
    try {
      const stream = eventsComeThrough
        ? await openEvents<RootStatus>(wire, paths.events, { type: 'status', parser, signal })
        : askOnce(wire, paths.status, signal)
      if (!stream) return
      for await (const events of stream) {
        heard = true
        patience.answered()
        for (const news of events) {
          const status = merge(known, news)
          if (JSON.stringify(status) === JSON.stringify(known)) continue
          known = status
          patience.brought()
          yield status
          if (isFinal(status.state)) return
        }
      }
      eventsComeThrough = true
    } catch (error) {
      if (signal?.aborted) return
      patience.bear(error)
      // Some proxies hold events back until the last one. So every second connection asks for the status itself.
      eventsComeThrough = heard || !eventsComeThrough
    }
    await pause(patience.nextPause(parser.retryMs), signal)
  }
}

async function* askOnce(
  wire: Wire,
  path: string,
  given: AbortSignal | undefined,
): AsyncGenerator<RootStatus[], void, undefined> {
  const { soon, signal } = limitSilence(wire.server, given)
  const response = await soon(wire.ask(path, { signal }))
  yield [await soon(wire.read<RootStatus>(response, signal))]
}

/** An event has only the pages that changed since the event before. */
function merge(known: RootStatus | undefined, news: RootStatus): RootStatus {
  const pages = new Map([...(known?.urls ?? []), ...news.urls].map((page) => [page.position, page]))
  return { ...news, urls: [...pages.values()].sort((one, other) => one.position - other.position) }
}
