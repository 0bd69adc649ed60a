import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_SESSION_KEYS, SESSION_MS, Sessions } from '../../src/access/sessions.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'

const ringOf = (...keys: string[]) => createKeyRing(parseSecretKeys(keys.join(',')))
const [OLD, NEW] = [
  `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  `k2:${Buffer.alloc(32, 2).toString('base64')}`,
]
const ID = 'A'.repeat(22)
const NEVER = { endedSessions: { end: async () => {}, forget: async () => 0 } }
const sessions = new Sessions(ringOf(OLD), NEVER)
const NOW = 1_800_000_000_000
const NOTHING = { id: '', stays: false, keys: [] }

const sessionKey = fc.record({
  hash: fc.string().map((text) => createHash('sha256').update(text).digest('hex')),
  given: fc.integer({ min: NOW - SESSION_MS + 1, max: NOW }),
})
const content = fc.record({
  id: fc.constantFrom(ID, 'b-_'.padEnd(22, '0')),
  stays: fc.boolean(),
  keys: fc.array(sessionKey, { maxLength: MAX_SESSION_KEYS }),
})

test('property: a sealed session opens unchanged, even after a key rotation, and its text fits into a cookie', () => {
  const rotated = new Sessions(ringOf(NEW, OLD), NEVER)
  fc.assert(
    fc.property(content, (session) => {
      const text = sessions.seal(session)
      expect(text).toMatch(/^[\w.-]{1,2048}$/)
      expect(sessions.open(text, NOW)).toEqual(session)
      expect(rotated.open(text, NOW)).toEqual(session)
    }),
  )
})

test('property: a changed, cut, extended or invented text opens no session and causes no error', () => {
  const change = fc.record({ at: fc.nat(), to: fc.constantFrom(...'AZaz09-_.=% ') })
  fc.assert(
    fc.property(content, change, fc.nat(), fc.string(), (session, { at, to }, length, more) => {
      const text = sessions.seal(session)
      const index = at % text.length
      const changed = text.slice(0, index) + to + text.slice(index + 1)
      if (changed !== text) expect(sessions.open(changed, NOW)).toEqual(NOTHING)
      expect(sessions.open(text.slice(0, length % text.length), NOW)).toEqual(NOTHING)
      if (more !== '') expect(sessions.open(text + more, NOW)).toEqual(NOTHING)
      expect(sessions.open(more, NOW)).toEqual(NOTHING)
    }),
  )
})

test('a text that was sealed for another place or with a lost key, or is too long, opens no session', () => {
  const key64 = [Buffer.alloc(32).toString('base64url'), NOW]
  const pair = JSON.stringify([true, ID, key64])
  expect(sessions.open(ringOf(OLD).seal(pair, 'session 2'), NOW).keys).toHaveLength(1)
  // The previous version had no ids, and another place.
  const withoutId = JSON.stringify([true, key64])
  expect(sessions.open(ringOf(OLD).seal(withoutId, 'session 2'), NOW)).toEqual(NOTHING)
  expect(sessions.open(ringOf(OLD).seal(withoutId, 'session'), NOW)).toEqual(NOTHING)
  expect(sessions.open(ringOf(OLD).seal(pair, 'secrets'), NOW)).toEqual(NOTHING)
  expect(sessions.open(ringOf(NEW).seal(pair, 'session 2'), NOW)).toEqual(NOTHING)
  const key = { hash: '0'.repeat(64), given: NOW }
  expect(sessions.open(sessions.seal({ id: ID, stays: true, keys: Array(100).fill(key) }), NOW)).toEqual(
    NOTHING,
  )
  expect(sessions.open(undefined, NOW)).toEqual(NOTHING)
})

test('a session forgets a key thirty days after it was added', () => {
  const hash = '0'.repeat(64)
  const keys = [
    { hash, given: NOW - SESSION_MS },
    { hash, given: NOW - SESSION_MS + 1 },
  ]
  const session = { id: ID, stays: true, keys }
  expect(sessions.open(sessions.seal(session), NOW)).toEqual({ ...session, keys: [keys[1]] })
})
