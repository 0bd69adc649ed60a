import type { RootStatus } from '../../../src/contract/status.ts'

export interface ReceivedEvent {
  readonly type: string
  readonly id: string
  readonly data: string
}

/** Server-sent events, parsed as the HTML standard says. Incomplete events are ignored. */
export class EventParser {
  readonly events: ReceivedEvent[] = []
  /** The id of the last complete event, with which a client reconnects. */
  lastEventId = ''
  retry: number | undefined
  comments = 0
  /** The data, unchanged. */
  text = ''
  #rest = ''
  #id: string | undefined
  #type = ''
  #data: string[] = []

  /** Whole lines, with any line ends, wherever they are split. */
  feed(text: string): void {
    this.text += text
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#read(line)
  }

  #read(line: string): void {
    if (line === '') this.#dispatch()
    if (line.startsWith(':')) this.comments++
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.#type = value
    if (field === 'data') this.#data.push(value)
    if (field === 'id') this.#id = value
    if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
  }

  #dispatch(): void {
    if (this.#id !== undefined) this.lastEventId = this.#id
    if (this.#data.length > 0) {
      const data = this.#data.join('\n')
      this.events.push({ type: this.#type || 'message', id: this.lastEventId, data })
    }
    this.#type = ''
    this.#data = []
    this.#id = undefined
  }
}

export interface EventStream {
  readonly response: Response
  readonly parser: EventParser
  /** The next event; undefined if the stream has ended well. Rejects if it broke off. */
  next(): Promise<{ id: number; status: RootStatus } | undefined>
  /** All remaining events. */
  rest(): Promise<{ id: number; status: RootStatus }[]>
  /** Leaves like a client. */
  cut(): void
}

export async function openEvents(
  address: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const going = new AbortController()
  const response = await fetch(address, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: going.signal,
  })
  const parser = new EventParser()
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let taken = 0
  const stream: EventStream = {
    response,
    parser,
    async next() {
      while (parser.events.length === taken) {
        const { value, done } = (await chunks?.read()) ?? { done: true }
        if (done) return undefined
        parser.feed(value ?? '')
      }
      const { id, type, data } = parser.events[taken++] as ReceivedEvent
      if (type !== 'status') throw new Error(`an event of the type ${type}`)
      return { id: Number(id), status: JSON.parse(data) as RootStatus }
    },
    async rest() {
      const events = []
      for (;;) {
        const event = await stream.next()
        if (!event) return events
        events.push(event)
      }
    },
    cut: () => going.abort(),
  }
  return stream
}
