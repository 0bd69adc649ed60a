import type { Socket } from 'node:net'

/** Counts what comes from outside. */
export interface Meter {
  readonly received: number
  /** The function to call whenever something came from this socket. */
  watch(socket: Socket): () => void
}

export function createMeter(maxBytes: number, onTooLarge: () => void): Meter {
  let received = 0
  let isTooLarge = false
  return {
    get received() {
      return received
    },
    watch(socket) {
      let seen = 0
      // What the socket read, not what it handed on: headers, chunk sizes and broken answers cost as much.
      const count = () => {
        received += socket.bytesRead - seen
        seen = socket.bytesRead
        if (received <= maxBytes || isTooLarge) return
        isTooLarge = true
        onTooLarge()
      }
      socket.once('close', count)
      return count
    },
  }
}
