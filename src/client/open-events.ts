import type { EventParser } from './event-parser.ts'
import { unexpected } from './problem-error.ts'
import { limitSilence } from './silence.ts'
import type { Wire } from './wire.ts'

export interface EventOptions {
  /** Events with another name are ignored. */
  readonly type: string
  readonly parser: EventParser
  readonly signal: AbortSignal | undefined
}

/** One connection. Gives the data of its events as they arrive. Undefined means that no more will come. */
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
      // When the caller stops, the connection is closed.
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

/** Our event ids are numbers. Any other id is not sent back, and the stream starts from its beginning. */
function goOnAfter(lastEventId: string): Record<string, string> {
  return /^[\x21-\x7e]+$/.test(lastEventId) ? { 'last-event-id': lastEventId } : {}
}
