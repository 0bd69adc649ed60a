import type { ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { HeldPiece, TakePiece } from './take-pieces.ts'

/**
 * Writes an answer as fast as it is read. One piece waits for a slow reader. When the client has gone, no more pieces are
 * made.
 */
export async function writePieces(
  response: ServerResponse,
  next: TakePiece,
  { gzip }: { gzip: boolean },
): Promise<void> {
  const sink = gzip ? openGzip(response) : response
  let isLast = false
  while (!isLast && !response.destroyed) isLast = await writeNext(sink, response, next)
  if (isLast) sink.end()
}

/** A function of its own, so that the piece is not in memory while the next is made. Returns whether it was the last. */
async function writeNext(sink: Sink, response: ServerResponse, next: TakePiece): Promise<boolean> {
  const piece = await next()
  await writePiece(sink, response, piece)
  return piece.last
}

type Sink = Pick<ServerResponse, 'write' | 'cork' | 'uncork' | 'end'>

/** The lowest level. The next one takes twice the time and saves a twentieth of the bytes (docs/performance.md). */
function openGzip(response: ServerResponse): Sink {
  const gzip = createGzip({ level: 1 })
  response.once('close', () => gzip.destroy())
  // Fails only if the connection is gone.
  gzip.on('error', () => response.destroy())
  gzip.pipe(response)
  return gzip as unknown as Sink
}

/**
 * Resolves when the sink has taken the piece, or the connection is closed. It does not wait for `drain`: after uncorking,
 * nothing may be left to drain, and then there is no such event. Text is written as text, without a Buffer that the garbage
 * collector must find.
 */
function writePiece(sink: Sink, response: ServerResponse, { parts, giveBack }: HeldPiece): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      parts.length = 0
      giveBack()
      response.off('close', over)
      resolve()
    }
    response.once('close', over)
    const some = parts.filter((part) => part !== '')
    const last = some.pop() ?? ''
    // The answer is corked, so that the parts become one chunk. The socket is corked, so that the chunk is one write.
    const { socket } = response
    socket?.cork()
    sink.cork()
    for (const part of some) sink.write(part)
    sink.write(last, over)
    sink.uncork()
    socket?.uncork()
    if (response.destroyed) over()
  })
}
