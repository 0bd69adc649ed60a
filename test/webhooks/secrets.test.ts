import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { CannotOpen, createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'
import { OLD_SECRET_MS, openSecrets, rotate, sealSecret } from '../../src/webhooks/secrets.ts'

const ringOf = (id: string) =>
  createKeyRing(parseSecretKeys(`${id}:${Buffer.alloc(32, id).toString('base64')}`))
const webhookId = randomUUID()

test('both secrets sign for a day after a rotation', () => {
  const ring = ringOf('k1')
  const secrets = rotate(sealSecret('new', webhookId, ring), [sealSecret('old', webhookId, ring)], 5)
  expect(openSecrets({ webhookId, secrets }, ring, 6)).toEqual(['new', 'old'])
  expect(openSecrets({ webhookId, secrets }, ring, 5 + OLD_SECRET_MS)).toEqual(['new'])
})

test('a rotation works at once even if the key of the old secret is lost', () => {
  const ring = ringOf('k2')
  const lost = [sealSecret('old', webhookId, ringOf('k1'))]
  expect(() => openSecrets({ webhookId, secrets: lost }, ring, 6)).toThrow(CannotOpen)
  const secrets = rotate(sealSecret('new', webhookId, ring), lost, 5)
  expect(openSecrets({ webhookId, secrets }, ring, 6)).toEqual(['new'])
})

test('a second rotation does not end the first secret sooner', () => {
  const ring = ringOf('k1')
  const once = rotate(sealSecret('second', webhookId, ring), [sealSecret('first', webhookId, ring)], 5)
  const secrets = rotate(sealSecret('third', webhookId, ring), once, 100)
  const at = (now: number) => openSecrets({ webhookId, secrets }, ring, now)
  expect(at(100)).toEqual(['third', 'second', 'first'])
  expect(at(5 + OLD_SECRET_MS)).toEqual(['third', 'second'])
  expect(at(100 + OLD_SECRET_MS)).toEqual(['third'])
})

test('at most nine old secrets sign', () => {
  const ring = ringOf('k1')
  let secrets = [sealSecret('0', webhookId, ring)] as ReturnType<typeof rotate>
  for (let now = 1; now <= 20; now++) secrets = rotate(sealSecret(`${now}`, webhookId, ring), secrets, now)
  expect(openSecrets({ webhookId, secrets }, ring, 20)).toHaveLength(10)
})
