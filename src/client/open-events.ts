import type { EventParser } from './event-parser.ts'
import { unexpected } from './problem-error.ts'
import { limitSilence } from './silence.ts'
import type { Wire } from './wire.ts'

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
  const silence = limitSilence(wire.server, signal)
  const headers = { accept: 'text/event-stream', ...goOnAfter(parser.lastEventId) }
  const response = await silence.soon(wire.ask(path, { headers, signal: silence.signal }))
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
        const { done, value } = await silence.soon(wire.receive(from.read(), silence.signal))
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
