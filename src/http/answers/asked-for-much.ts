import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AskedForMuch } from '../../results/answer.ts'
import type { HttpContext } from '../context.ts'
import { clientOf } from '../rules/client-of.ts'
import { originOf } from '../rules/origin.ts'

/** The work is done in turns of the client, and stops when the client has gone. */
export function askedForMuch(
  request: FastifyRequest,
  reply: FastifyReply,
  context: HttpContext,
): AskedForMuch {
  return {
    now: context.clock(),
    origin: originOf(request, context),
    inTurn: context.turns.for(clientOf(request)),
    isGone: () => reply.raw.destroyed,
  }
}
