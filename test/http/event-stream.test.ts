import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { KnownRoot } from '../../src/access/door.ts'
import type { RootWatchers } from '../../src/capture/root-watchers.ts'
import { EventStream } from '../../src/http/answers/event-stream.ts'
import { ByteBudget } from '../../src/shares/byte-budget.ts'
import type { InTurn } from '../../src/shares/fair-turns.ts'

/** A connection that records when bytes are sent: when nothing is corked. */
function createConnection() {
  const sent: { bytes: number; inTurn: boolean }[] = []
  let corks = 0
  let waiting = 0
  let isTurn = false
  const flush = () => {
    if (corks > 0 || waiting === 0) return
    sent.push({ bytes: waiting, inTurn: isTurn })
    waiting = 0
  }
  const socket = {
    cork: () => corks++,
    uncork: () => {
      corks--
      flush()
    },
  }
  const response = Object.assign(new EventEmitter(), {
    socket,
    destroyed: false,
    headersSent: true,
    write(bytes: Buffer, written: () => void) {
      waiting += bytes.length
      // Like Node: if nothing is corked, the bytes are sent a tick later.
      if (corks === 0) process.nextTick(flush)
      setImmediate(written)
    },
    end() {},
  }) as unknown as ServerResponse
  const inTurn: InTurn = async (piece) => {
    isTurn = true
    const ended = piece()
    isTurn = false
    return await ended
  }
  return { response, sent, inTurn }
}

test.each([
  ['a large event is sent in a turn of its client', 200_000, true],
  ['a small event is sent without a turn', 2_000, false],
])('%s', async (_, bytes, isInTurn) => {
  const { response, sent, inTurn } = createConnection()
  const status = { version: 1, isFinal: false, event: Buffer.alloc(bytes), json: Buffer.alloc(0) }
  const statuses = { kept: () => status, read: async () => status }
  const stream = new EventStream({
    root: {} as KnownRoot,
    client: 'a',
    since: 0,
    watchers: { statuses } as unknown as RootWatchers,
    inTurn,
    response,
    unread: new ByteBudget(1_000_000),
    onMoved: () => {},
    onError: (error) => expect.fail(String(error)),
  })
  stream.wake(1)
  while (sent.length === 0) await nextIteration()
  expect(sent).toEqual([{ bytes, inTurn: isInTurn }])
})
