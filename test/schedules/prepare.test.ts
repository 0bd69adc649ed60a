import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { keepRequest } from '../../src/capture/kept-request.ts'
import { readConfig } from '../../src/config/config.ts'
import { placeOf, prepareRoot } from '../../src/schedules/prepare.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { parseSecretKeys } from '../../src/secrets/secret-keys.ts'
import type { StoredSchedule } from '../../src/store/schedules.ts'

const ring = createKeyRing(parseSecretKeys(`k1:${randomBytes(32).toString('base64')}`))
const { limits } = readConfig({})

test('limits are checked without the secrets: a mistake would reveal their length', async () => {
  const key = { projectId: randomUUID(), scheduleId: randomUUID() }
  const headers = Object.fromEntries([1, 2, 3].map((each) => [`x-${each}`, 'a'.repeat(4_000)]))
  const urls = Array.from({ length: 100 }, (_, index) => ({
    url: `https://a.example/${index}`,
    name: 'Page',
  }))
  const kept = keepRequest(
    { screenshotParameter: { width: 800, height: 600, headers }, urls },
    ring,
    placeOf(key),
  )
  const prepared = await prepareRoot(
    { ...key, ...kept, templateId: undefined } as StoredSchedule,
    { created: 1, origin: {} },
    { ring, limits, findTemplate: async () => undefined },
  )
  expect(prepared).not.toHaveProperty('problem')
  expect(prepared).toHaveProperty('pages.length', 100)
})
