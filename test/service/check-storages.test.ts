import { randomUUID } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { ImageKey, Images } from '../../src/images/images.ts'
import { requireMatching } from '../../src/service/check-storages.ts'
import { openStorage } from '../../src/service/storage.ts'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld } from '../support/servers/worlds.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { addRows, makeProject } from '../support/store/results.ts'

type Env = Record<string, string>

async function start(env: Env, options = {}) {
  const config = readConfig({ PORT: '0', ...env })
  const storage = await openStorage(config)
  onTestFinished(() => storage.close())
  await requireMatching(storage, config, options)
  return storage
}

/** A store with one result and its picture. */
async function fill(env: Env): Promise<string> {
  const { store, images, close } = await openStorage(readConfig({ PORT: '0', ...env }))
  const projectId = await makeProject(store)
  const rootId = await addRows(store, projectId)
  const [job] = await store.jobsOf(projectId, [rootId])
  await publish(images, pictureKey(projectId, job?.uuid ?? ''))
  await close()
  return projectId
}

async function publish(images: Images, key: ImageKey): Promise<void> {
  const batch = await images.startBatch()
  await batch.add(key, Buffer.from('picture'))
  await batch.publish()
  await batch.discard()
}

const postgres = usePostgres()
const s3 = useS3()

describe.each<[string, () => Promise<Env>]>([
  ['SQLite and a folder', async () => ({ DATA_DIR: join(await makeFolder(), 'data') })],
  ['PostgreSQL and S3', () => newWorld(postgres, s3)],
])('%s', (_, newEnv) => {
  /** The database of one and the pictures of the other. */
  const mix = (one: Env, other: Env): Env =>
    one['DATA_DIR'] === undefined
      ? { ...one, IMAGES_URL: other['IMAGES_URL'] ?? '' }
      : { ...one, IMAGES_URL: `file:${other['DATA_DIR']}/images` }

  test('a new store starts, and starts again, even with many processes together', async () => {
    const env = await newEnv()
    // Makes the tables: in one process SQLite would wait for itself.
    await (await openStorage(readConfig({ PORT: '0', ...env }))).close()
    await Promise.all(Array.from({ length: 4 }, () => start(env)))
    await fill(env)
    const { store, images } = await start(env)
    expect(await store.findIdentity('store')).toBe(await images.findStoreId())
  })

  test('a store of an older version gets an id', async () => {
    const env = await newEnv()
    await fill(env)
    const { store, images } = await start(env)
    expect(await images.findStoreId()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await store.findIdentity('store')).toBe(await images.findStoreId())
  })

  test('roots that are not captured yet do not count against the pictures', async () => {
    const env = await newEnv()
    const projectId = await fill(env)
    const { store, close } = await openStorage(readConfig({ PORT: '0', ...env }))
    for (const created of [2e12, 3e12, 4e12, 5e12]) await addRows(store, projectId, { created, jobs: 0 })
    await close()
    await start(env)
  })

  test('pictures of a project without results are its own: a process was killed in between', async () => {
    const env = await newEnv()
    const { store, images, close } = await openStorage(readConfig({ PORT: '0', ...env }))
    const projectId = await makeProject(store)
    await publish(images, pictureKey(projectId, randomUUID()))
    await close()
    await start(env)
  })

  test.each([true, false])(
    'a new database beside old pictures refuses to start (with an id: %s)',
    async (isKnown) => {
      const old = await newEnv()
      await fill(old)
      if (isKnown) await start(old)
      const fresh = await newEnv()
      await expect(start(mix(fresh, old))).rejects.toThrow(
        /database is not there.*restore the database.*start from nothing/,
      )
      await start(fresh)
      await start(old)
    },
  )

  test.each([true, false])('pictures of another store refuse to start (with an id: %s)', async (isKnown) => {
    const [one, other] = [await newEnv(), await newEnv()]
    for (const env of [one, other]) {
      await fill(env)
      if (isKnown) await start(env)
    }
    await expect(start(mix(one, other))).rejects.toThrow('not parts of one store')
    await start(one)
    await start(other)
  })

  test('a store without its pictures does not start until the operator writes the id', async () => {
    const [one, empty] = [await newEnv(), await newEnv()]
    await fill(one)
    await start(one)
    const error = await start(mix(one, empty)).catch((thrown) => thrown)
    expect(error).toMatchObject({
      message: expect.stringMatching(/are not there.*is not mounted.*\/.store: /s),
    })
    const images = (await openStorage(readConfig({ PORT: '0', ...mix(one, empty) }))).images
    await images.keepStoreId(/[0-9a-f-]{36}$/.exec(error.message)?.[0] ?? '')
    await start(mix(one, empty))
  })

  test('a copy of the database may use the existing pictures, which belong to it from then on', async () => {
    const [one, empty] = [await newEnv(), await newEnv()]
    await fill(one)
    await start(one)
    const { store, images } = await start(mix(empty, one), { isCopy: true })
    expect(await store.findIdentity('store')).toBe(await images.findStoreId())
    await start(mix(empty, one))
  })
})

test('an id that is half written counts as missing: another instance is writing it', async () => {
  const env = await newWorld(postgres, s3)
  let wrote = false
  s3.interfere = ({ method, url = '' }, response) => {
    if (!url.includes('.store')) return false
    if (method === 'PUT') wrote = true
    if (method !== 'GET' || !wrote) return false
    response.end('')
    return true
  }
  onTestFinished(() => {
    s3.interfere = undefined
  })
  await start(env)
  s3.interfere = undefined
  const { store, images } = await start(env)
  expect(await store.findIdentity('store')).toBe(await images.findStoreId())
})

test('serve and import refuse to run if the database file was deleted', async () => {
  const DATA_DIR = join(await makeFolder(), 'data')
  await fill({ DATA_DIR })
  await rm(join(DATA_DIR, 'proofsheet.db'))
  for (const args of [['serve'], ['import', DATA_DIR]]) {
    const { code, stderr } = await runProofsheet(args, { DATA_DIR, PORT: '0' })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${DATA_DIR}/proofsheet.db is new or empty`)])
  }
})

describe('keys', () => {
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
  test.each<[string, string, boolean]>([
    ['with a new key before the old one are accepted', `${key('k2', 2)},${key('k1', 1)}`, true],
    ['with another name are accepted', key('k3', 3), true],
    ['that differ under the same name are refused', key('k1', 4), false],
  ])('%s', async (_, keys, fits) => {
    for (const setting of ['SIGNING_KEYS', 'SECRET_KEYS']) {
      const env = { DATA_DIR: join(await makeFolder(), 'data') }
      await start({ ...env, [setting]: key('k1', 1) })
      const started = start({ ...env, [setting]: keys })
      if (fits) await started
      else
        await expect(started).rejects.toThrow(new RegExp(`${setting}.*not those of this store.*id k1`, 's'))
    }
  })

  test.each(['signing-keys', 'secret-keys'])('in %s of another data directory are refused', async (file) => {
    const [one, other] = [join(await makeFolder(), 'data'), join(await makeFolder(), 'data')]
    for (const DATA_DIR of [one, other]) await start({ DATA_DIR })
    await copyFile(join(other, file), join(one, file))
    await expect(start({ DATA_DIR: one })).rejects.toThrow(
      new RegExp(`${file}.*not those of this store.*id k1`, 's'),
    )
  })
})

test('have the same names in the database as in older versions', async () => {
  const { store, signingKeys, secretKeys } = await start({ DATA_DIR: await makeFolder() })
  expect([await store.findIdentity('signing-key k1'), await store.findIdentity('secret-key k1')]).toEqual([
    signingKeys[0]?.fingerprint,
    secretKeys[0]?.fingerprint,
  ])
})
