import type { Socket } from 'node:net'

export type Meter = ReturnType<typeof createMeter>

/** Counts the bytes that come from outside. */
export function createMeter(maxBytes: number, onTooLarge: () => void) {
  let received = 0
  let isTooLarge = false
  return {
    get received(): number {
      return received
    },
    /** Gives the function to call whenever this socket has received something. */
    countFrom(socket: Socket): () => void {
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
