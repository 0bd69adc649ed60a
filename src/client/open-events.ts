import type { EventParser } from './event-parser.ts'
import { NoAnswerError } from './no-answer-error.ts'
import { unexpected } from './problem-error.ts'
import type { Wire } from './wire.ts'

/** The service says something every 15 seconds: a connection this silent is dead, though nobody has closed it. */
const LONGEST_SILENCE_MS = 45_000

export interface EventOptions {
  /** Others are passed over. */
  readonly type: string
  readonly parser: EventParser
  readonly signal: AbortSignal | undefined
}

/** One connection: what its events hold, as they arrive, or undefined where there are no more to come. */
export async function openEvents<T>(
  wire: Wire,
  path: string,
  { type, parser, signal }: EventOptions,
): Promise<AsyncGenerator<T[], void, undefined> | undefined> {
  const silence = new AbortController()
  const either = AbortSignal.any(signal ? [signal, silence.signal] : [silence.signal])
  const soon = async <P>(part: Promise<P>): Promise<P> => {
    const giveUp = () => silence.abort(new NoAnswerError(wire.server, new Error('it is silent')))
    const timer = setTimeout(giveUp, LONGEST_SILENCE_MS)
    try {
      return await part
    } finally {
      clearTimeout(timer)
    }
  }

  const headers = { accept: 'text/event-stream', ...goOnAfter(parser.lastEventId) }
  const response = await soon(wire.ask(path, { headers, signal: either }))
  if (response.status === 204) return undefined
  const reader = response.body?.getReader()
  if (!reader || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
    reader?.cancel().catch(() => {})
    throw unexpected(response, `answered ${response.status}, but not with events`)
  }

  async function* receive(from: NonNullable<typeof reader>): AsyncGenerator<T[], void, undefined> {
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = await soon(wire.receive(from.read(), either))
        if (done) return
        const events = parser.read(decoder.decode(value, { stream: true }))
        yield events.filter((event) => event.type === type).map(({ data }) => parse(data))
      }
    } finally {
      // Whoever stops listening leaves no connection behind.
      from.cancel().catch(() => {})
    }
  }
  function parse(data: string): T {
    try {
      return JSON.parse(data)
    } catch {
      throw unexpected(response, 'sent an event that is not JSON')
    }
  }
  return receive(reader)
}

/** Ours are numbers. What fits into no header is not of ours, and all begins anew. */
function goOnAfter(lastEventId: string): Record<string, string> {
  return /^[\x21-\x7e]+$/.test(lastEventId) ? { 'last-event-id': lastEventId } : {}
}
