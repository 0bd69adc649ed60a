import type { ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { HeldPiece, TakePiece } from './take-pieces.ts'

/**
 * Writes an answer as fast as it is read: one piece waits for a slow reader. Whoever gives up ends it, and nothing
 * further is made.
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

/** By itself: who waits for the next piece does not hold the one before. Answers whether it was the last. */
async function writeNext(sink: Sink, response: ServerResponse, next: TakePiece): Promise<boolean> {
  const piece = await next()
  await writePiece(sink, response, piece)
  return piece.last
}

type Sink = Pick<ServerResponse, 'write' | 'cork' | 'uncork' | 'end'>

/** The lowest level: the next one takes twice the time for a twentieth of the bytes (docs/performance.md). */
function openGzip(response: ServerResponse): Sink {
  const gzip = createGzip({ level: 1 })
  response.once('close', () => gzip.destroy())
  // Given up: the connection is gone already.
  gzip.on('error', () => response.destroy())
  gzip.pipe(response)
  return gzip as unknown as Sink
}

/**
 * Until the sink has taken it, or the connection is no more. Not until `drain`: what was written while corked may be
 * gone by the time it is uncorked, and then there is none. Text is written as text: no Buffer is made of it that the
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
    // The answer is corked so that they become one chunk, its socket so that this is written at once.
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
