import { createHmac } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPathAddresses, verifySignedPath } from '../../src/images/disk/signed-path.ts'
import { loadOrMakeSigningKeys, parseSigningKeys } from '../../src/images/disk/signing-keys.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { rounds } from '../support/runner/rounds.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const signer = { keys: parseSigningKeys(`new:${secret(1)},old:${secret(2)}`), windowMs: 3_600_000 }
const origin = 'http://127.0.0.1:8080'

describe('signed paths', () => {
  const uuids = fc.uuid()
  const instants = fc.integer({ min: 0, max: 4_000_000_000_000 })

  test('property: a signed path is accepted until it expires, for exactly its picture', () => {
    fc.assert(
      fc.property(
        uuids,
        uuids,
        fc.boolean(),
        instants,
        fc.nat(3_600_000),
        (projectId, uuid, preview, now, later) => {
          const key = (preview ? previewKey : pictureKey)(projectId, uuid)
          const path = createPathAddresses(signer)({ now, origin }).address(key).slice(origin.length)
          const { expiresMs, key: verified } = verifySignedPath(signer, path, now + later)
          expect(verified).toBe(key)
          expect(expiresMs - now).toBeGreaterThan(0)
          expect(() => verifySignedPath(signer, path, expiresMs)).toThrow(
            expect.objectContaining({ code: 'address_expired' }),
          )
        },
      ),
    )
  })

  test('a signature covers version, method, key id, expiry and storage key, as in a known example', () => {
    const key = pictureKey('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222')
    const text = `proofsheet image 1\nGET\nnew\n7200\n${key}`
    const expected = createHmac('sha256', Buffer.alloc(32, 1)).update(text).digest('base64url')
    expect(expected).toBe('BfWcHp8N_Gx6opRgxL8zTA1NRSNrGAyOm4gbfpI4fEA')
    expect(createPathAddresses(signer)({ now: 0, origin }).address(key)).toBe(
      `${origin}/images/${key}?expires=7200&key=new&signature=${expected}`,
    )
  })

  test('property: any other text is refused with a typed error', () => {
    const address = createPathAddresses(signer)({ now: 0, origin })
      .address(pictureKey('1'.repeat(36), '2'.repeat(36)))
      .slice(origin.length)
    const other = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc
        .tuple(fc.nat(address.length), fc.nat(4), fc.string({ maxLength: 4 }))
        .map(([at, cut, text]) => address.slice(0, at) + text + address.slice(at + cut)),
    )
    fc.assert(
      fc.property(other, (path) => {
        fc.pre(path !== address)
        expect(() => verifySignedPath(signer, path, 0)).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^(address_invalid|not_found)$/) }),
        )
      }),
      { numRuns: rounds(1_000) },
    )
  })

  test('the first key signs and all verify; a removed key does not verify', () => {
    const key = pictureKey('1'.repeat(36), '2'.repeat(36))
    const before = { ...signer, keys: parseSigningKeys(`old:${secret(2)}`) }
    const path = createPathAddresses(before)({ now: 0, origin }).address(key).slice(origin.length)
    expect(verifySignedPath(signer, path, 0).key).toBe(key)
    const after = { ...signer, keys: parseSigningKeys(`new:${secret(1)}`) }
    expect(() => verifySignedPath(after, path, 0)).toThrow(
      expect.objectContaining({ code: 'address_invalid' }),
    )
  })
})

describe('signing keys', () => {
  test.each([
    ['', 'at least one key'],
    ['abc', 'entry 1 is not'],
    [`a:${secret(1)},b`, 'entry 2 is not'],
    [`a b:${secret(1)}`, 'entry 1 is not'],
    [`a:${Buffer.alloc(16).toString('base64')}`, 'at least 32 bytes'],
    [`a:${secret(1)},a:${secret(2)}`, 'two keys with the same id'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => parseSigningKeys(text)).toThrow(reason)
    if (text.includes(secret(1))) expect(() => parseSigningKeys(text)).not.toThrow(secret(1))
  })

  test('are created once, readable by their owner only, even if many processes start together', async () => {
    const folder = join(await makeFolder(), 'data')
    const made = await Promise.all(Array.from({ length: 8 }, () => loadOrMakeSigningKeys(folder)))
    expect(new Set(made.map(([key]) => key?.fingerprint)).size).toBe(1)
    expect((await stat(join(folder, 'signing-keys'))).mode & 0o777).toBe(0o600)
    const [again] = await loadOrMakeSigningKeys(folder)
    expect(again?.fingerprint).toBe(made[0]?.[0]?.fingerprint)
  })

  test('are rotated by a new line above them', async () => {
    const folder = await makeFolder()
    const path = join(folder, 'signing-keys')
    await loadOrMakeSigningKeys(folder)
    await writeFile(path, `k2:${secret(9)}\n${await readFile(path, 'utf8')}`)
    expect((await loadOrMakeSigningKeys(folder)).map((key) => key.id)).toEqual(['k2', 'k1'])
  })

  test('are not created if their file exists without keys: that is an error', async () => {
    const folder = await makeFolder()
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'signing-keys'), 'broken\n')
    await expect(loadOrMakeSigningKeys(folder)).rejects.toThrow('signing-keys must be a list')
  })
})
