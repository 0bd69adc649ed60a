import { get } from 'node:http'
import { connect, type Socket } from 'node:net'

// Clients on bare sockets, that look at nothing but where an answer ends: on a machine with few cores whatever they
// cost is taken from the server, and a client that is slower than the server would hide the difference.

const CHUNKS_END = '\r\n0\r\n\r\n'

export interface Ask {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Answered {
  readonly ms: number
  readonly firstByteMs: number
  readonly status: number
  readonly bytes: number
}

/** One connection, kept open, on which one answer follows the other. */
export class Client {
  readonly #socket: Socket
  #began = 0
  #firstByte = 0
  #left = 0
  #chunked = false
  #status = 0
  #bytes = 0
  #tail = ''
  #over: ((answered: Answered) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  /** `from`: the address of ours that it comes from. */
  constructor(url: string, from?: string) {
    const { hostname, port } = new URL(url)
    const to = { port: Number(port), host: hostname, ...(from !== undefined && { localAddress: from }) }
    this.#socket = connect(to).setNoDelay(true)
    this.#socket.on('data', (data) => this.#read(data))
    this.#socket.on('error', (error) => this.#failed?.(error))
    this.#socket.on('close', () => this.#failed?.(new Error('the connection ended')))
  }

  ask(request: string): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#over = resolve
      this.#failed = reject
      this.#began = performance.now()
      this.#firstByte = 0
      this.#bytes = 0
      this.#socket.write(request, 'latin1')
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #read(data: Buffer): void {
    this.#bytes += data.length
    if (this.#firstByte === 0) {
      this.#firstByte = performance.now()
      const head = data.toString('latin1', 0, 2_000)
      const end = head.indexOf('\r\n\r\n')
      this.#status = Number(head.slice(9, 12))
      this.#chunked = /\r\ntransfer-encoding: chunked/i.test(head)
      const length = this.#status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      if (end < 0 || (!this.#chunked && Number.isNaN(length)))
        this.#failed?.(new Error(`not an answer: ${head}`))
      this.#left = end + 4 + length
      this.#tail = ''
    }
    this.#left -= data.length
    if (this.#chunked) {
      this.#tail = (this.#tail + data.toString('latin1', Math.max(0, data.length - CHUNKS_END.length))).slice(
        -CHUNKS_END.length,
      )
    }
    if (this.#chunked ? this.#tail !== CHUNKS_END : this.#left > 0) return
    const now = performance.now()
    this.#over?.({
      ms: now - this.#began,
      firstByteMs: this.#firstByte - this.#began,
      status: this.#status,
      bytes: this.#bytes,
    })
  }
}

export function toRequest({ url, headers = {} }: Ask): string {
  const { host, pathname } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`
}

/** Every connection asks again as soon as it was answered; several requests are asked in turn. */
export async function sustain(
  asks: readonly Ask[],
  {
    connections = 32,
    seconds = 1,
    status = 200,
  }: { connections?: number; seconds?: number; status?: number } = {},
): Promise<{ perSecond: number; p99: number }> {
  const requests = asks.map(toRequest)
  const times: number[] = []
  let sent = 0
  const began = performance.now()
  let counted = began + 200
  const end = counted + seconds * 1000
  const client = async () => {
    const connection = new Client(asks[0]?.url ?? '')
    for (;;) {
      const answered = await connection.ask(requests[sent++ % requests.length] ?? '')
      if (answered.status !== status) throw new Error(`expected ${status}, got ${answered.status}`)
      const now = performance.now()
      if (now > end) break
      if (now > counted) times.push(answered.ms)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, client))
  counted = Math.max(counted, began)
  times.sort((a, b) => a - b)
  return { perSecond: times.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN }
}

/** One answer on a new connection. */
export async function askOnce(ask: Ask): Promise<Answered> {
  const client = new Client(ask.url)
  try {
    return await client.ask(toRequest(ask))
  } finally {
    client.close()
  }
}

/** Milliseconds to the last byte of one answer, read by Node's own client: what a script that asks for it waits. */
export function timeToRead(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    get(url, { agent: false }, (response) => {
      response.on('data', () => {})
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`${url}: ${response.statusCode}`))
      })
    }).on('error', reject)
  })
}
