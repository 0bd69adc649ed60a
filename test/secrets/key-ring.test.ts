import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CannotOpen, createKeyRing } from '../../src/secrets/key-ring.ts'
import { loadOrMakeSecretKeys, parseSecretKeys } from '../../src/secrets/secret-keys.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { anyCharacter } from '../support/runner/any-character.ts'

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const ringOf = (...keys: string[]) => createKeyRing(parseSecretKeys(keys.join(',')))
const OLD = ringOf(key('old', 1))
const BOTH = ringOf(key('new', 2), key('old', 1))
const PLACE = '0f0f0f0f-0000-4000-8000-000000000000 3'

const texts = fc.string({ unit: anyCharacter, maxLength: 200 })
const places = fc.tuple(fc.uuid(), fc.nat(1_000)).map(([rootId, position]) => `${rootId} ${position}`)

describe('a sealed text', () => {
  test('property: opens in its place, is different each time, and does not show the text', () => {
    fc.assert(
      fc.property(texts, places, (text, place) => {
        const [one, two] = [BOTH.seal(text, place), BOTH.seal(text, place)]
        expect(one).not.toBe(two)
        expect(BOTH.open(one, place)).toBe(text.toWellFormed())
        if (text.length > 5) expect(one).not.toContain(text)
      }),
    )
  })

  test('property: is refused if any bit is changed', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(7), (text, at, bit) => {
        const sealed = Buffer.from(BOTH.seal(text, PLACE))
        const index = at % sealed.length
        sealed.writeUInt8(sealed.readUInt8(index) ^ (1 << bit), index)
        expect(() => BOTH.open(sealed.toString('latin1'), PLACE)).toThrow(CannotOpen)
      }),
      { numRuns: 1_000 },
    )
  })

  test('property: is refused if it is cut or extended', () => {
    const sealed = BOTH.seal('a password', PLACE)
    for (let length = 0; length < sealed.length; length++)
      expect(() => BOTH.open(sealed.slice(0, length), PLACE)).toThrow(CannotOpen)
    for (const more of ['A', '=', ' ', '\n', '.'])
      expect(() => BOTH.open(sealed + more, PLACE)).toThrow(CannotOpen)
  })

  test('property: is refused in any other place', () => {
    fc.assert(
      fc.property(texts, places, places, (text, place, other) => {
        fc.pre(place !== other)
        expect(() => BOTH.open(BOTH.seal(text, place), other)).toThrow(CannotOpen)
      }),
    )
  })

  test('is opened by an old key, and sealed by the first one', () => {
    expect(BOTH.open(OLD.seal('a password', PLACE), PLACE)).toBe('a password')
    expect(BOTH.seal('a password', PLACE)).toMatch(/^1\.new\./)
  })

  test('that cannot be opened names the missing key, and nothing else', () => {
    const sealed = BOTH.seal('a password', PLACE)
    const missing = {
      isKeyMissing: true,
      message: expect.stringContaining('the key "new", which is not among'),
    }
    expect(() => OLD.open(sealed, PLACE)).toThrow(expect.objectContaining(missing))
    const other = ringOf(key('new', 9))
    const wrong = { isKeyMissing: false, message: expect.stringContaining('The key "new" does not open it') }
    expect(() => other.open(sealed, PLACE)).toThrow(expect.objectContaining(wrong))
  })

  test('is impossible without a key: the error says how to create one', () => {
    const none = createKeyRing([])
    const error = {
      code: 'bad_request',
      message: expect.stringContaining('echo k1:$(openssl rand -base64 32)'),
    }
    expect(() => none.seal('a password', PLACE)).toThrow(expect.objectContaining(error))
    expect(() => none.digests('a password')).toThrow(expect.objectContaining(error))
  })
})

test('a digest depends on the key, and each key gives one', () => {
  const [first, second] = BOTH.digests('a request')
  expect([first, second]).toEqual([expect.stringMatching(/^new:[0-9a-f]{64}$/), OLD.digests('a request')[0]])
  expect(ringOf(key('new', 9)).digests('a request')[0]).not.toBe(first)
  expect(BOTH.digests('another request')[0]).not.toBe(first)
})

test('keys are created once, readable by their owner only, and a new line above rotates them', async () => {
  const folder = join(await makeFolder(), 'data')
  const path = join(folder, 'secret-keys')
  const made = await Promise.all(Array.from({ length: 8 }, () => loadOrMakeSecretKeys(folder)))
  expect(new Set(made.map(([one]) => one?.fingerprint)).size).toBe(1)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const sealed = createKeyRing(made[0] ?? []).seal('a password', PLACE)
  await writeFile(path, `${key('k2', 9)}\n${await readFile(path, 'utf8')}`)
  const rotated = await loadOrMakeSecretKeys(folder)
  expect(rotated.map(({ id }) => id)).toEqual(['k2', 'k1'])
  expect(createKeyRing(rotated).open(sealed, PLACE)).toBe('a password')
})

test('a file without keys is an error that does not show its content', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'secret-keys'), 'hunter2\n')
  await expect(loadOrMakeSecretKeys(folder)).rejects.toThrow(/secret-keys must be a list(?!.*hunter2)/)
})
