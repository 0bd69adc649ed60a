import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../../results/pieces.ts'
import type { HttpContext } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { NOBODY_WAITS, whenClosed } from './when-closed.ts'

/** Memory that is reserved for a piece before its size is known. Almost all pieces are smaller. */
const PIECE_BYTES = 1_048_576

/** A piece is in memory as rows, as text, and as bytes that wait in the connection. */
const HELD_TIMES = 3

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
  { turns, unread }: HttpContext,
): TakePiece {
  const client = clientOf(request)
  const closed = whenClosed(reply.raw)
  return async () => {
    const held = await unread.take(client, PIECE_BYTES, closed)
    try {
      if (reply.raw.destroyed) throw NOBODY_WAITS
      for (;;) {
        const { value, done } = await turns.run(client, () => pieces.next())
        if (done) throw new Error('an answer ends with its last piece')
        if (!value.last && value.parts.length === 0) continue
        held.resize(sizeOf(value) * HELD_TIMES)
        return { ...value, giveBack: held.giveBack }
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

/** In bytes. A text counts with its characters. */
function sizeOf({ parts }: Piece): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
