import type { Socket } from 'node:net'

/** Counts the bytes that come from outside. */
export interface Meter {
  readonly received: number
  /** Gives the function to call whenever this socket has received something. */
  countFrom(socket: Socket): () => void
}

export function createMeter(maxBytes: number, onTooLarge: () => void): Meter {
  let received = 0
  let isTooLarge = false
  return {
    get received() {
      return received
    },
    countFrom(socket) {
      let seen = 0
      // Counts what the socket read, not what it passed on: headers and broken answers cost as much.
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
