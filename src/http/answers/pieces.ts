import type { ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../../results/pieces.ts'
import type { Held } from '../../shares/byte-budget.ts'
import { msOfBytes } from '../../shares/pace.ts'
import { clientOf, type HttpContext } from '../context.ts'
import { NOBODY_WAITS, whenClosed } from './when-closed.ts'

/** Memory that is reserved for a piece before its size is known. Almost all pieces are smaller. */
const PIECE_BYTES = 1_048_576

/** A piece is in memory as rows, as text, and as bytes that wait in the connection. */
const HELD_TIMES = 3

/** A longer piece is handed on in slices, each in a turn of its own: writing takes time, too. */
const SLICE_BYTES = 131_072
const SLICE_MS = msOfBytes(SLICE_BYTES)

/** A piece, and the memory that is reserved for it until it was read. */
export interface HeldPiece extends Piece {
  readonly giveBack: () => void
}

/** Each piece is made in a turn of its client, when there is memory for it. */
export async function* holdPieces(
  pieces: AsyncGenerator<Piece>,
  request: FastifyRequest,
  reply: FastifyReply,
  { pace, turns, unread }: HttpContext,
  { isPaced = false } = {},
): AsyncGenerator<HeldPiece, undefined> {
  const client = clientOf(request)
  const closed = whenClosed(reply.raw)
  let held: Held | undefined
  try {
    for (let isLast = false; !isLast; ) {
      held = await unread.take(client, PIECE_BYTES, closed)
      if (reply.raw.destroyed) throw NOBODY_WAITS
      let piece: Piece
      do {
        const { value, done } = await turns.run(client, () => pieces.next())
        if (done) throw new Error('an answer ends with its last piece')
        piece = value
      } while (!piece.last && piece.parts.length === 0)
      isLast = piece.last
      held.resize(sizeOf(piece) * HELD_TIMES)
      const slices = isPaced ? toSlices(piece) : [piece]
      for (const [index, slice] of slices.entries()) {
        if (index > 0) {
          await pace.wait(client, SLICE_MS, closed)
          await turns.run(client, async () => {})
        }
        const isEnd = index === slices.length - 1
        yield { ...slice, giveBack: isEnd ? held.giveBack : () => {} }
      }
    }
  } finally {
    held?.giveBack()
    await pieces.return(undefined)
  }
}

/** Puts back a piece that was taken. */
export async function* beginningWith(first: HeldPiece, others: AsyncGenerator<HeldPiece>) {
  try {
    yield first
    yield* others
  } finally {
    await others.return(undefined)
  }
}

function toSlices(piece: Piece): Piece[] {
  if (sizeOf(piece) <= SLICE_BYTES) return [piece]
  const parts = piece.parts.splice(0).flatMap((part) => [...cut(part)])
  return parts.map((part, index) => ({
    ...piece,
    parts: [part],
    last: piece.last && index === parts.length - 1,
  }))
}

/** Nothing is copied: a text that is cut points at the whole text. */
function* cut(part: Buffer | string): Generator<Buffer | string> {
  for (let from = 0, to: number; from < part.length; from = to) {
    to = from + SLICE_BYTES
    if (typeof part === 'string') {
      // Not between the halves of a surrogate pair.
      if (/[\uD800-\uDBFF]/.test(part.charAt(to - 1))) to--
      yield part.slice(from, to)
    } else yield part.subarray(from, to)
  }
}

/** In bytes. A text counts with its characters. */
function sizeOf({ parts }: Piece): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/** Writes an answer as fast as it is read: one piece waits for a slow reader. */
export async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<HeldPiece>,
  { gzip }: { gzip: boolean },
): Promise<void> {
  if (response.destroyed) return
  const sink = gzip ? openGzip(response) : response
  for await (const piece of pieces) {
    await writePiece(sink, response, piece)
    if (piece.last) sink.end()
    if (response.destroyed) return
  }
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
