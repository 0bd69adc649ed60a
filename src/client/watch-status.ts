import { isFinal } from '../contract/states.ts'
import type { RootStatus } from '../contract/status.ts'
import { NoAnswerError, Patience, pause } from './patience.ts'
import { unexpected } from './problem-error.ts'
import type { Wire } from './wire.ts'

/** The service sends something at least every 42 seconds. A connection that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000

export interface WatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Seconds without an answer after which it throws. By default it waits for ever. */
  readonly patience?: number | undefined
}

export type Statuses = AsyncGenerator<RootStatus, void, undefined>

/** Gives the whole status at every change, over as many connections as it takes. */
export async function* watchStatus(
  wire: Wire,
  paths: { readonly events: string; readonly status: string },
  { signal, patience: seconds = Number.POSITIVE_INFINITY }: WatchOptions,
): Statuses {
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
        ? await openEvents(wire, paths.events, parser, signal)
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

/** One connection. Gives each status as it arrives. Undefined means that no more will come. */
async function openEvents(
  wire: Wire,
  path: string,
  parser: EventParser,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<RootStatus[], void, undefined> | undefined> {
  const silence = limitSilence(wire.server, signal)
  const { lastEventId } = parser
  // Our event ids are numbers. Any other id is not sent back, and the stream starts from its beginning.
  const last = /^[\x21-\x7e]+$/.test(lastEventId) && { 'last-event-id': lastEventId }
  const headers = { accept: 'text/event-stream', ...last }
  const response = await silence.soon(wire.ask(path, { headers, signal: silence.signal }))
  if (response.status === 204) return undefined
  const reader = response.body?.getReader()
  if (!reader || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
    reader?.cancel().catch(() => {})
    throw unexpected(response, `answered ${response.status}, but not with events`)
  }

  async function* receive(from: NonNullable<typeof reader>): AsyncGenerator<RootStatus[], void, undefined> {
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = await silence.soon(wire.receive(from.read(), silence.signal))
        if (done) return
        const events = parser.read(decoder.decode(value, { stream: true }))
        yield events.filter(({ type }) => type === 'status').map(({ data }) => parse(data))
      }
    } finally {
      // When the caller stops, the connection is closed.
      from.cancel().catch(() => {})
    }
  }
  function parse(data: string): RootStatus {
    try {
      return JSON.parse(data)
    } catch {
      throw unexpected(response, 'sent an event that is not JSON')
    }
  }
  return receive(reader)
}

/** For one connection. */
function limitSilence(server: string, signal: AbortSignal | undefined) {
  const silence = new AbortController()
  const giveUp = () => silence.abort(new NoAnswerError(server, new Error('the connection is silent')))
  return {
    /** Aborted by the given signal, or by silence. */
    signal: AbortSignal.any(signal ? [signal, silence.signal] : [silence.signal]),
    /** Waits for something that must come within that time. */
    async soon<T>(part: Promise<T>): Promise<T> {
      const timer = setTimeout(giveUp, LONGEST_SILENCE_MS)
      try {
        return await part
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

interface ServerSentEvent {
  readonly type: string
  readonly data: string
}

/** Parses the server-sent events of one connection, as in the HTML standard. Incomplete events are dropped. */
export class EventParser {
  /** The id of the last complete event, on this connection or an earlier one. */
  lastEventId: string
  /** How long to wait before connecting again, if the server said so. */
  retryMs: number | undefined
  /** The beginning of a line that has not ended. */
  #rest = ''
  #cutAfterReturn = false
  #type = ''
  #data: string[] = []
  #id: string

  constructor(lastEventId = '', retryMs?: number) {
    this.lastEventId = lastEventId
    this.#id = lastEventId
    this.retryMs = retryMs
  }

  /** The events that are completed by this text. */
  read(text: string): ServerSentEvent[] {
    if (text === '') return []
    const belongsToReturn = this.#cutAfterReturn && text.startsWith('\n')
    this.#cutAfterReturn = text.endsWith('\r')
    const [first = '', ...others] = text.slice(belongsToReturn ? 1 : 0).split(/\r\n|\r|\n/)
    const lines = [this.#rest + first, ...others]
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#take(line) ?? [])
  }

  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch()
    // A comment has an empty name.
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') this.#type = value
    if (name === 'data') this.#data.push(value)
    if (name === 'id' && !value.includes('\0')) this.#id = value
    if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
    return undefined
  }

  #dispatch(): ServerSentEvent | undefined {
    const [type, data] = [this.#type || 'message', this.#data]
    this.lastEventId = this.#id
    this.#type = ''
    this.#data = []
    return data.length > 0 ? { type, data: data.join('\n') } : undefined
  }
}
