import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Shorter than servers keep idle connections, mostly: Node's own close them after five seconds. */
const KEPT_MS = 2_000
/** Names are looked up and checked again after this time, however busy the connection is. */
const OLDEST_MS = 30_000
const MOST_OF_PLACE = 24
const MOST = 128

/** Connections that the guard has checked and that wait for the next request, for a moment. */
export class KeptConnections {
  readonly #places = new Map<string, { readonly socket: Socket; readonly forget: () => void }[]>()
  readonly #since = new WeakMap<Socket, number>()
  #count = 0

  /** Undefined if there is none. */
  take(place: string): Socket | undefined {
    const kept = this.#places.get(place)?.at(-1)
    kept?.forget()
    return kept?.socket
  }

  /** Keeps the connection if its answer was read to the end and the receiver keeps it, too. Otherwise closes it. */
  keep(place: string, socket: Socket, answer: IncomingMessage): void {
    const since = this.#since.get(socket) ?? performance.now()
    this.#since.set(socket, since)
    const here = this.#places.get(place) ?? []
    const isOld = performance.now() - since > OLDEST_MS
    const isFull = here.length >= MOST_OF_PLACE || this.#count >= MOST
    const { complete, headers, httpVersion } = answer
    const mayStay = complete && httpVersion === '1.1' && headers.connection?.toLowerCase() !== 'close'
    if (!mayStay || isOld || isFull || socket.destroyed || !socket.writable) {
      socket.destroy()
      return
    }
    const close = () => socket.destroy()
    const timer = setTimeout(close, KEPT_MS).unref()
    const forget = () => {
      clearTimeout(timer)
      for (const event of ['data', 'end', 'error', 'close']) socket.off(event, close)
      socket.off('close', forget)
      here.splice(here.indexOf(kept), 1)
      if (here.length === 0) this.#places.delete(place)
      this.#count--
    }
    const kept = { socket, forget }
    // Bytes that come now do not answer a request.
    for (const event of ['data', 'end', 'error', 'close']) socket.on(event, close)
    socket.once('close', forget)
    here.push(kept)
    this.#places.set(place, here)
    this.#count++
  }
}
