import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { beginningWith, type HeldPiece, holdPieces } from '../../src/http/answers/pieces.ts'
import type { HttpContext } from '../../src/http/context.ts'
import type { Piece } from '../../src/results/pieces.ts'
import { ByteBudget } from '../../src/shares/byte-budget.ts'
import { FairTurns } from '../../src/shares/fair-turns.ts'
import { Pace } from '../../src/shares/pace.ts'

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
  const held = holdPieces(pieces(), request, { raw } as unknown as FastifyReply, context)
  const { giveBack } = await unread.take('127.0.0.1', 1_000, new AbortController().signal)
  const waiting = held.next()
  // Its signal is aborted a little later, since many may be closed at once.
  raw.destroyed = true
  giveBack()
  await expect(waiting).rejects.toThrow('the client has gone')
  expect([made, unread.bytes]).toEqual([0, 0])
})

const large = async function* (): AsyncGenerator<Piece> {
  yield { parts: ['é', '👍'.repeat(100_000), Buffer.alloc(300_000, 'b'), 'c'], last: true, etag: '"1"' }
}

function open() {
  const raw = Object.assign(new EventEmitter(), { destroyed: false })
  const unread = new ByteBudget(10_000_000)
  const context = { unread, pace: new Pace(), turns: new FairTurns(1) } as unknown as HttpContext
  const request = { ip: '127.0.0.1' } as FastifyRequest
  return {
    raw,
    unread,
    pieces: holdPieces(large(), request, { raw } as unknown as FastifyReply, context, { isPaced: true }),
  }
}

test('a long piece is handed on in slices, and its memory is given back with the last', async () => {
  const { unread, pieces } = open()
  const all: HeldPiece[] = []
  while (!all.at(-1)?.last) {
    const { value } = await pieces.next()
    if (value) all.push(value)
  }
  const texts = all.flatMap(({ parts }) => parts.map(String))
  expect(texts.every((text) => text.isWellFormed())).toBe(true)
  expect(texts.join('')).toBe(`é${'👍'.repeat(100_000)}${'b'.repeat(300_000)}c`)
  expect(all.every(({ parts: [part] }) => (part?.length ?? 0) <= 131_072)).toBe(true)
  expect(all[0]?.etag).toBe('"1"')
  const held = all.map(({ giveBack }) => {
    giveBack()
    return unread.bytes
  })
  expect(held.map((left) => left > 0)).toEqual(held.map((_, index) => index < held.length - 1))
})

test.each([1, 2])('a client that goes after slice %i gives back the memory of its piece', async (read) => {
  const { raw, unread, pieces } = open()
  const { value: first } = await pieces.next()
  let left = read
  for await (const { giveBack } of beginningWith(first as HeldPiece, pieces)) {
    giveBack()
    expect(unread.bytes).toBeGreaterThan(0)
    if (--left > 0) continue
    raw.emit('close')
    break
  }
  expect([unread.bytes, raw.listenerCount('close')]).toEqual([0, 0])
})
