import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Piece } from '../../results/pieces.ts'
import type { HttpContext } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { whenClosed } from './when-closed.ts'

/** What a piece may take before it is known: more than almost all of them. */
const PIECE_BYTES = 1_048_576

/** Until it is read a piece is there as text, as what the text was made of, and as what waits in its connection. */
const HELD_TIMES = 3

/** A piece, and the room that it takes until it was read. */
export interface HeldPiece extends Piece {
  readonly giveBack: () => void
}

/** The next piece: made in a turn of its client, when there is room for it should nobody read it. */
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

/** The pieces from one on that was taken already. It is not held any longer than until it is taken again. */
export function beginningWith(first: HeldPiece, next: TakePiece): TakePiece {
  let taken: HeldPiece | undefined = first
  return () => {
    const piece = taken
    taken = undefined
    return piece ? Promise.resolve(piece) : next()
  }
}

/** In bytes, or nearly: of a text its characters. */
function sizeOf({ parts }: Piece): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
