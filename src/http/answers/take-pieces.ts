import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../../results/pieces.ts'
import { msOfBytes } from '../../shares/pace.ts'
import type { HttpContext } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { NOBODY_WAITS, whenClosed } from './when-closed.ts'

/** Memory that is reserved for a piece before its size is known. Almost all pieces are smaller. */
const PIECE_BYTES = 1_048_576

/** A piece is in memory as rows, as text, and as bytes that wait in the connection. */
const HELD_TIMES = 3

/** A longer piece is handed on in slices, each in a turn of its own: writing takes time, too. */
const SLICE_BYTES = 131_072
/** The distance of two slices. */
const SLICE_MS = msOfBytes(SLICE_BYTES) / 2

/** A piece, and the memory that is reserved for it until it was read. */
export interface HeldPiece extends Piece {
  readonly giveBack: () => void
}

/** The next piece. It is made in a turn of its client, when there is memory for it. */
export type TakePiece = () => Promise<HeldPiece>

export function takePieces(
  pieces: AsyncGenerator<Piece>,
  request: FastifyRequest,
  reply: FastifyReply,
  { pace, turns, unread }: HttpContext,
): TakePiece {
  const client = clientOf(request)
  const closed = whenClosed(reply.raw)
  let slices: HeldPiece[] = []
  return async () => {
    const slice = slices.shift()
    if (slice) {
      await pace.wait(client, SLICE_MS)
      return await turns.run(client, async () => slice)
    }
    const held = await unread.take(client, PIECE_BYTES, closed)
    try {
      if (reply.raw.destroyed) throw NOBODY_WAITS
      for (;;) {
        const made = await turns.run(client, async () => {
          const { value, done } = await pieces.next()
          if (done) throw new Error('an answer ends with its last piece')
          return sizeOf(value) > SLICE_BYTES ? { ...value, parts: [joinParts(value)] } : value
        })
        if (!made.last && made.parts.length === 0) continue
        held.resize(sizeOf(made) * HELD_TIMES)
        const [first, ...others] = toSlices({ ...made, giveBack: held.giveBack })
        // If the client goes, the others are not asked for.
        if (others.length > 0) reply.raw.once('close', held.giveBack)
        slices = others
        return first
      }
    } catch (error) {
      held.giveBack()
      throw error
    }
  }
}

/** Puts back a piece that was taken: it comes first, then the others. It is not held after that. */
export function beginningWith(first: HeldPiece, next: TakePiece): TakePiece {
  let taken: HeldPiece | undefined = first
  return () => {
    const piece = taken
    taken = undefined
    return piece ? Promise.resolve(piece) : next()
  }
}

/** The memory is given back with the last one. */
function toSlices(piece: HeldPiece): [HeldPiece, ...HeldPiece[]] {
  const [bytes] = piece.parts
  if (!(bytes instanceof Buffer) || piece.parts.length > 1 || bytes.length <= SLICE_BYTES) return [piece]
  const first = { ...piece, parts: [bytes.subarray(0, SLICE_BYTES)], last: false, giveBack: () => {} }
  return [first, ...toSlices({ ...piece, parts: [bytes.subarray(SLICE_BYTES)] })]
}

export function joinParts({ parts }: Piece): Buffer {
  const buffers = parts
    .splice(0)
    .filter((part) => part !== '')
    .map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  return buffers.length === 1 && buffers[0] ? buffers[0] : Buffer.concat(buffers)
}

/** In bytes. A text counts with its characters. */
function sizeOf({ parts }: Piece): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
