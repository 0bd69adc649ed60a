import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventParser } from '../../src/client/watch-status.ts'
import { EventParser as Reference } from '../support/http/event-stream.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { workDone } from '../support/runner/patience.ts'

/** Bytes, as they come from the network in these pieces. */
function parse(pieces: readonly Uint8Array[]) {
  const parser = new EventParser()
  const decoder = new TextDecoder()
  const events = pieces.flatMap((piece) => parser.read(decoder.decode(piece, { stream: true })))
  return { events, lastEventId: parser.lastEventId, retryMs: parser.retryMs }
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

const read = (text: string) => parse([Buffer.from(text)])

describe('the examples of the standard', () => {
  test.each([
    ['lines of data', 'data: YHOO\ndata: +2\ndata: 10\n\n', [{ type: 'message', data: 'YHOO\n+2\n10' }]],
    [
      'comments, an id, a type',
      ': note\n\nevent: add\ndata: first\nid: 1\n\n',
      [{ type: 'add', data: 'first' }],
    ],
    [
      'one leading blank is removed, not two',
      'data:test\n\ndata:  test\n\n',
      [
        { type: 'message', data: 'test' },
        { type: 'message', data: ' test' },
      ],
    ],
    [
      'empty data',
      'data\n\ndata\ndata\n\ndata:',
      [
        { type: 'message', data: '' },
        { type: 'message', data: '\n' },
      ],
    ],
    ['no data, no event', 'event: add\nid: 3\n\n', []],
    ['a type is for one event', 'event: add\n\ndata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['unknown fields', 'datum: 1\nDATA: 2\n data: 3\ndata : 4\n\n', []],
    ['a byte order mark', '\ufeffdata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['colons in data', 'data: a:b\n\n', [{ type: 'message', data: 'a:b' }]],
    ['an incomplete event', 'data: x\n\ndata: lost\n', [{ type: 'message', data: 'x' }]],
    [
      'characters that do not end a line',
      'data: a\u2028b\u0085c\vd\n\n',
      [{ type: 'message', data: 'a\u2028b\u0085c\vd' }],
    ],
  ])('%s', (_, text, events) => {
    expect(read(text).events).toEqual(events)
    for (const end of ['\r', '\r\n']) {
      const other = read(text.replaceAll('\n', end)).events
      expect(other).toEqual(events)
    }
  })

  test('ids and retry times are kept', () => {
    expect(read('id: 7\nretry: 250\ndata: x\n\nid: 8\ndata: lost').lastEventId).toBe('7')
    expect(read('id: 7\n\nid\ndata: x\n\n').lastEventId).toBe('')
    expect(read('id: 7\n\nid: 8\0\ndata: x\n\n').lastEventId).toBe('7')
    expect(read('id: 7\n\ndata: x\n\n').lastEventId).toBe('7')
    for (const [text, retryMs] of [
      ['250', 250],
      ['0', 0],
      ['', undefined],
      ['-1', undefined],
      ['1.5', undefined],
      ['1e3', undefined],
      ['0x1', undefined],
      ['１', undefined],
    ] as const) {
      expect([text, read(`retry: ${text}\n`).retryMs]).toEqual([text, retryMs])
    }
  })

  test('an event is parsed as soon as its line has ended, whatever follows', () => {
    const parser = new EventParser()
    expect(parser.read('data: x\r\n\r')).toEqual([{ type: 'message', data: 'x' }])
    expect(parser.read('')).toEqual([])
    expect(parser.read('\n')).toEqual([])
    expect(parser.read('data: y\r\r')).toEqual([{ type: 'message', data: 'y' }])
  })

  test('parsing continues after an earlier connection that was cut off', () => {
    const parser = new EventParser('7', 250)
    expect([parser.lastEventId, parser.retryMs]).toEqual(['7', 250])
    parser.read(':\n\ndata: x\n\n')
    expect([parser.lastEventId, parser.retryMs]).toEqual(['7', 250])
  })
})

const TEXT =
  'retry: 10\r\n\r\nevent: status\nid: 1\ndata: {"name":"Grüße, 🦉 — 日本"}\n\n:\r\rid: 2\rdata: a\rdata: 🦉\r\r'

test('cutting the text anywhere changes nothing', () => {
  const bytes = Buffer.from(`\ufeff${TEXT}`)
  const whole = parse([bytes])
  expect(whole).toEqual({
    events: [
      { type: 'status', data: '{"name":"Grüße, 🦉 — 日本"}' },
      { type: 'message', data: 'a\n🦉' },
    ],
    lastEventId: '2',
    retryMs: 10,
  })
  for (let place = 0; place <= bytes.length; place++) expect(parse(cutAt(bytes, [place]))).toEqual(whole)
  expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
})

test('property: any text, cut anywhere, gives the same events as another parser', () => {
  const end = fc.constantFrom('\n', '\r', '\r\n')
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 6 }),
    fc.constantFrom('1', '', ' x', '🦉'),
  )
  const line = fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.constantFrom('data', 'event', 'id', 'retry', '', 'x'), fc.constantFrom(':', ': ', ''), value)
      .map((parts) => parts.join('')),
  )
  const text = fc
    .array(fc.tuple(line, end), { maxLength: 20 })
    .map((lines) => lines.flat().join(''))
    .filter((each) => each.isWellFormed())
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (sent, places) => {
      const bytes = Buffer.from(sent)
      const whole = parse([bytes])
      expect(parse(cutAt(bytes, places))).toEqual(whole)
      // The other parser takes text, accepts NUL, and waits for the character after a CR.
      if (sent.startsWith('\ufeff') || sent.includes('\0') || sent.endsWith('\r')) return
      const reference = new Reference()
      reference.feed(sent)
      expect(whole).toEqual({
        events: reference.events.map(({ type, data }) => ({ type, data })),
        lastEventId: reference.lastEventId,
        retryMs: reference.retry,
      })
    }),
    { numRuns: 500 },
  )
})

test('a long line in many pieces is read once', () => {
  const parser = new EventParser()
  const piece = 'x'.repeat(1_000)
  const before = workDone()
  parser.read('data: ')
  for (let index = 0; index < 20_000; index++) parser.read(piece)
  const [event] = parser.read('\n\n')
  expect(event?.data.length).toBe(20_000_000)
  // If each piece were read together with everything before it, that would be 200 GB.
  expect(workDone() - before).toBeLessThan(20_000)
})
