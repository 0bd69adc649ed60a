import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { takePieces } from '../../src/http/answers/take-pieces.ts'
import type { HttpContext } from '../../src/http/context.ts'
import type { Piece } from '../../src/results/pieces.ts'
import { ByteBudget } from '../../src/shares/byte-budget.ts'
import { FairTurns } from '../../src/shares/fair-turns.ts'

test('no piece is made for a connection that was closed while it waited for memory', async () => {
  let made = 0
  const pieces = async function* (): AsyncGenerator<Piece> {
    for (;;) {
      made++
      yield { parts: ['x'], last: false }
    }
  }
  const raw = Object.assign(new EventEmitter(), { destroyed: false })
  const unread = new ByteBudget(1_000)
  const context = { unread, turns: new FairTurns(1) } as unknown as HttpContext
  const request = { ip: '127.0.0.1' } as FastifyRequest
  const next = takePieces(pieces(), request, { raw } as unknown as FastifyReply, context)
  const { giveBack } = unread.hold('127.0.0.1', 1_000)
  const waiting = next()
  // Its signal is aborted a little later, since many may be closed at once.
  raw.destroyed = true
  giveBack()
  await expect(waiting).rejects.toThrow('the client has gone')
  expect([made, unread.bytes]).toEqual([0, 0])
})
