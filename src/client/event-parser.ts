export interface ServerSentEvent {
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
