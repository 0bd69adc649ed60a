import { rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type ImageKey, pictureKey, previewKey } from '../../src/images/images.ts'
import { openStorage } from '../../src/storage.ts'
import { FAILURE, newRequest, PICTURE, takeAll } from '../support/captures.ts'
import { page, writeImport } from '../support/import-file.ts'
import { asAdmin } from '../support/postgres.ts'
import { proofsheet, runProofsheet, serveProcess } from '../support/process.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/results.ts'
import { S3_CREDENTIALS } from '../support/s3.ts'
import { usePostgres, useS3 } from '../support/use-servers.ts'
import { makeFolder } from '../support/workspace.ts'
import { newWorld, withoutAddresses } from '../support/worlds.ts'

const postgres = usePostgres()
const s3 = useS3()

async function open(env: Record<string, string>) {
  const storage = await openStorage(readConfig(env))
  let open = true
  const close = async () => {
    if (open) await storage.close()
    open = false
  }
  onTestFinished(close)
  return { ...storage, close }
}

/** An embedded store, a world to copy it to, and the command that does. */
async function start() {
  const embedded = { DATA_DIR: join(await makeFolder(), 'data') }
  const world = await newWorld(postgres, s3)
  const args = ['copy', '--to-database', world.DATABASE_URL, '--to-images', world.IMAGES_URL]
  const env = { ...embedded, ...S3_CREDENTIALS }
  return { embedded, world, args, env, copy: (...more: string[]) => runProofsheet([...args, ...more], env) }
}

const answersOf = async (env: Record<string, string>, projectId: string, key: string) => {
  const service = await serveProcess({ ...env, AUTH: 'keys' })
  const answer = await fetch(service.url + rootsUrl(projectId), { headers: { authorization: key } })
  return [answer.status, answer.status === 200 ? withoutAddresses(await answer.text()) : '']
}

describe('copy', () => {
  test('takes everything along while the service serves; afterwards both answer the same', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const other = await makeProject(from.store)
    const png = await makePng()
    for (let created = 1; created <= 12; created++) {
      await addPictures(from, projectId, {
        created: created % 5,
        jobs: [submittedJob(png, { basepath: `/${created}` })],
      })
    }
    await addPictures(from, projectId, {
      created: 9,
      jobs: Array.from({ length: 120 }, (_, index) => submittedJob(png, { name: `Ω "${index}" \\ 😀` })),
    })
    const valid = await makeKey(from.store, projectId)
    const revoked = await makeKey(from.store, projectId)
    await from.store.revokeKey(revoked.keyId, 77)
    const serving = await serveProcess(embedded)

    const first = await copy()
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 13 roots with 132 pictures'),
    ])
    expect(first.stdout).toMatch(new RegExp(`${projectId} +13 / 13 +132 / 132 +all there`))
    expect(first.stdout).toMatch(new RegExp(`${other} +0 / 0 +0 / 0 +all there`))
    expect((await fetch(serving.url + rootsUrl(projectId))).status).toBe(200)

    const here = await answersOf(embedded, projectId, valid.secret)
    expect(here[1]?.toString().length).toBeGreaterThan(10_000)
    expect(await answersOf(world, projectId, valid.secret)).toEqual(here)
    expect(await answersOf(world, projectId, revoked.secret)).toEqual([401, ''])
    const to = await open(world)
    expect(await to.store.listKeys()).toEqual(await from.store.listKeys())

    // Again: only what is new since.
    await from.store.revokeKey(valid.keyId, 99)
    await addPictures(from, other, { jobs: [submittedJob(png)] })
    const second = await copy()
    expect(second.stderr).toContain('Copied: 1 root with 1 picture, 13 roots already there.')
    expect(second.code).toBe(0)
    expect(await to.store.listKeys()).toEqual(await from.store.listKeys())
  })

  test('killed in the middle and run again: everything is there once, and verified', async () => {
    const { embedded, world, args, env, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let index = 0; index < 80; index++) {
      const jobs = Array.from({ length: 2 }, () => submittedJob(png, { basepath: `/${index}` }))
      await addPictures(from, projectId, { created: index, jobs })
    }
    const to = await open(world)
    const count = async () => (await to.store.countProjects())[0]?.roots ?? 0
    let kills = 0
    for (; kills < 3; kills++) {
      const already = await count()
      const running = proofsheet(args, env)
      while ((await count()) < already + 10) await sleep(5)
      running.child.kill('SIGKILL')
      expect((await running.ended).signal).toBe('SIGKILL')
      expect(await count()).toBeLessThan(80)
    }
    const last = await copy()
    expect([last.code, last.stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 80 roots with 160 pictures are the same.'),
    ])
    const present = Number(/, (\d+) roots already there/.exec(last.stderr)?.[1])
    expect(present).toBeGreaterThanOrEqual(30)
    // Not by its own word alone.
    const bytesOf = async ({ images }: typeof from, key: ImageKey) => {
      const image = await images.open(key)
      return Buffer.concat((await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? [])
    }
    const heads = await from.store.pageRoots(projectId, { limit: 200 })
    expect((await to.store.pageRoots(projectId, { limit: 200 })).map(({ rootId }) => rootId)).toEqual(
      heads.map(({ rootId }) => rootId),
    )
    for (const { rootId } of heads) {
      const jobs = await from.store.jobsOf(projectId, [rootId])
      expect(await to.store.jobsOf(projectId, [rootId])).toEqual(jobs)
      for (const { uuid } of jobs) {
        const key = previewKey(projectId, uuid)
        expect((await bytesOf(to, key)).equals(await bytesOf(from, key))).toBe(true)
      }
    }
  })

  test('what is added while it runs comes along', async () => {
    const { embedded, world, args, env } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    const add = (created: number) =>
      addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    for (let created = 100; created < 160; created++) await add(created)
    const running = proofsheet(args, env)
    const to = await open(world)
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 5) await sleep(5)
    for (let created = 200; created < 210; created++) await add(created)
    expect((await running.ended).code).toBe(0)
    expect((await to.store.countProjects())[0]?.roots).toBe(70)
  })

  test('a picture that is missing there is copied; one that is different is reported and left alone', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    // Rows without pictures, as after a copy of the database alone.
    expect(await from.images.isShared()).toBe(false)
    expect((await runProofsheet(['copy', '--to-database', world.DATABASE_URL], embedded)).code).toBe(0)
    // What one of the databases does not know the other may: so nothing is swept.
    expect(await from.images.isShared()).toBe(true)
    const mended = await copy()
    expect([mended.code, mended.stderr]).toEqual([
      0,
      expect.stringContaining('are the same; missing or damaged files copied again: 2.'),
    ])
    expect((await copy()).stderr).toContain('are the same.')

    const [job] = await from.store.jobsOf(projectId, [rootId])
    const key = pictureKey(projectId, job?.uuid ?? '')
    const to = await open(world)
    const put = async (bytes: Buffer) => {
      const batch = await to.images.startBatch()
      await batch.add(key, bytes)
      await batch.publish()
      await batch.discard()
    }
    await put(Buffer.from('something else'))
    const different = await copy()
    expect([different.code, different.stderr]).toEqual([
      1,
      expect.stringContaining(`root ${rootId}: its picture ${key} is a different one there`),
    ])
    const image = await to.images.open(key)
    expect(
      String(Buffer.concat((await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? [])),
    ).toBe('something else')
  })

  test('rows and projects that are not the same there are named', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    expect((await copy()).code).toBe(0)
    await asAdmin(world.DATABASE_URL, `update jobs set name = 'changed'`)
    const rows = await copy()
    expect([rows.code, rows.stderr]).toEqual([
      1,
      expect.stringContaining(`root ${rootId}: is not the same there`),
    ])
    await asAdmin(world.DATABASE_URL, `update jobs set name = 'Home'; update projects set name = 'Another'`)
    const project = await copy()
    await makeKey(from.store, projectId)
    await asAdmin(world.DATABASE_URL, `update projects set name = 'Test'`)
    expect((await copy()).code).toBe(0)
    await asAdmin(world.DATABASE_URL, `update keys set hash = 'another'`)
    expect((await copy()).stderr).toMatch(/project \S+: has a key \S+ that is not the same there/)
    expect([project.code, project.stderr]).toEqual([
      1,
      expect.stringContaining(`project ${projectId}: has another name`),
    ])
  })

  test('requests come along with what became of them; one that is not finished waits for the next time', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const asked = newRequest(projectId, { pages: 3, idempotencyKey: 'once', options: { tags: ['a'] } })
    const pages = asked.pages.map((page, index) => ({
      ...page,
      ...(index === 2 && { ownOptions: { width: 390 } }),
    }))
    const request = { ...asked, pages }
    await from.store.captures.accept(request)
    const [first, second, third] = await takeAll(from.store, { now: 1, leaseMs: 1_000 })
    if (!first || !second || !third) throw new Error('three were asked for')
    await from.store.captures.finish(second, FAILURE, 5)
    const publish = async ({ uuid }: typeof first) => {
      const batch = await from.images.startBatch()
      for (const key of [pictureKey(projectId, uuid), previewKey(projectId, uuid)]) {
        await batch.add(key, await makePng())
      }
      await batch.publish()
    }
    await publish(first)
    await from.store.captures.finish(first, PICTURE, 6)
    const early = await copy()
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringContaining(`root ${request.rootId}: is still being captured`),
    ])
    await publish(third)
    await from.store.captures.finish(third, PICTURE, 7)
    const late = await copy()
    expect([late.code, late.stdout]).toEqual([0, expect.stringContaining('all there')])
    const to = await open(world)
    const read = async ({ store }: typeof to) => ({
      progress: await store.captures.findProgress(projectId, request.rootId),
      jobs: await store.jobsOf(projectId, [request.rootId]),
    })
    expect(await read(to)).toEqual(await read(from))
    expect((await read(to)).jobs.map(({ position }) => position)).toEqual([0, 2])
    const own = (await read(to)).progress?.captures.map(({ ownOptions }) => ownOptions)
    expect(own).toEqual([undefined, undefined, { width: 390 }])
    // A client that repeats its request there gets the root that it got here.
    expect(await to.store.captures.accept({ ...request, rootId: projectId })).toBe(request.rootId)
  })

  test('keys and projects that change while it runs are the same afterwards, too', async () => {
    const { embedded, world, args, env } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 40; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    const leaked = await makeKey(from.store, projectId)
    const running = proofsheet(args, env)
    const to = await open(world)
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 5) await sleep(5)
    await from.store.revokeKey(leaked.keyId, 5)
    await makeKey(from.store, projectId)
    const late = await makeProject(from.store)
    await addPictures(from, late, { jobs: [submittedJob(png)] })
    expect((await running.ended).code).toBe(0)
    expect(await to.store.listKeys()).toEqual(await from.store.listKeys())
    const counts = (await to.store.countProjects()).map(({ projectId, roots }) => ({ projectId, roots }))
    expect(counts).toHaveLength(2)
    expect(counts).toEqual(
      expect.arrayContaining([
        { projectId, roots: 40 },
        { projectId: late, roots: 1 },
      ]),
    )
  })

  test('interrupted: ends with what is under way, exit code 1, and goes on', async () => {
    const { embedded, world, args, env, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 80; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    const running = proofsheet(args, env)
    const to = await open(world)
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 10) await sleep(5)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(1)
    expect(running.stderr()).toContain('Stopped. Run the same command again to continue.')
    expect((await to.store.countProjects())[0]?.roots).toBeLessThan(80)
    expect((await copy()).code).toBe(0)
  })

  test('a fault that passes does not end it', async () => {
    const { embedded, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 30; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    let requests = 0
    s3.interfere = ({ method }, response) => {
      // Three in a row are what the SDK tries; every now and then all of them fail.
      if (method !== 'PUT' || requests++ % 40 > 8) return false
      response.writeHead(500).end()
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const { code, stderr } = await copy()
    expect([code, stderr]).toEqual([0, expect.stringContaining('Verified: 30 roots')])
  })

  test('a picture that is damaged there is copied again; one that is damaged here is named', async () => {
    const folder = await makeFolder()
    const [here, there] = ['here', 'there'].map((name) => ({ DATA_DIR: join(folder, name) })) as [
      { DATA_DIR: string },
      { DATA_DIR: string },
    ]
    const from = await open(here)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    const [job] = await from.store.jobsOf(projectId, [rootId])
    const [picture, preview] = [pictureKey, previewKey].map((key) => key(projectId, job?.uuid ?? ''))
    const copy = () =>
      runProofsheet(
        [
          ...['copy', '--to-database', `sqlite://${there.DATA_DIR}/proofsheet.db`],
          ...['--to-images', `file://${there.DATA_DIR}/images`],
        ],
        here,
      )
    expect((await copy()).code).toBe(0)
    await truncate(join(there.DATA_DIR, 'images', picture ?? ''), 60)
    const mended = await copy()
    expect([mended.code, mended.stderr]).toEqual([
      0,
      expect.stringContaining('missing or damaged files copied again: 1.'),
    ])
    await truncate(join(here.DATA_DIR, 'images', preview ?? ''), 60)
    const named = await copy()
    expect([named.code, named.stderr]).toEqual([
      1,
      expect.stringContaining(`root ${rootId}: its picture ${preview} is damaged at the source`),
    ])
  })

  test('what cannot be copied is named, the rest is copied, and the exit code is 1', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    const [lost, clash, fine] = await Promise.all(
      [1, 2, 3].map((created) =>
        addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] }),
      ),
    )
    const [job] = await from.store.jobsOf(projectId, [lost?.rootId ?? ''])
    await rm(join(embedded.DATA_DIR, 'images', previewKey(projectId, job?.uuid ?? '')))
    const to = await open(world)
    await makeProject(to.store, projectId)
    await addRows(to.store, projectId, { rootId: clash?.rootId ?? '' })
    const { code, stdout, stderr } = await copy()
    expect(code).toBe(1)
    expect(stderr).toContain(
      `root ${lost?.rootId}: its picture ${projectId}/${job?.uuid}-preview.png is missing at the source`,
    )
    expect(stderr).toContain(`root ${clash?.rootId}: exists there with other content`)
    expect(stderr).toContain('2 problems: see above.')
    expect(stdout).toMatch(/3 \/ 2 .*not all there/)
    expect(await to.store.findRoot(projectId, fine?.rootId ?? '')).toMatchObject({ jobCount: 1 })
    expect(await to.store.findRoot(projectId, lost?.rootId ?? '')).toBeUndefined()
  })

  test('only the database: pictures stay where they are, untouched', async () => {
    const { embedded, world } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    const [job] = await from.store.jobsOf(projectId, [rootId])
    const file = join(embedded.DATA_DIR, 'images', pictureKey(projectId, job?.uuid ?? ''))
    const before = await stat(file)
    const { code, stderr } = await runProofsheet(['copy', '--to-database', world.DATABASE_URL], embedded)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 1 root with 1 picture are the same.'),
    ])
    expect((await stat(file)).ino).toBe(before.ino)
  })

  test('only the pictures: the database stays where it is', async () => {
    const { embedded, world, env } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    const database = `sqlite://${join(embedded.DATA_DIR, 'proofsheet.db')}`
    const args = ['copy', '--to-database', database, '--to-images', world.IMAGES_URL]
    const { code, stderr } = await runProofsheet(args, env)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('are the same; missing or damaged files copied again: 2.'),
    ])
  })

  test('and back again, to one machine', async () => {
    const { embedded, world } = await start()
    const there = await open(world)
    const projectId = await makeProject(there.store)
    await addPictures(there, projectId, { jobs: [submittedJob(await makePng())] })
    const back = join(embedded.DATA_DIR, 'back')
    const args = ['copy', '--to-database', `sqlite://${back}.db`, '--to-images', `file://${back}`]
    const { code, stderr } = await runProofsheet(args, world)
    expect([code, stderr]).toEqual([0, expect.stringContaining('Verified: 1 root')])
  })
})

describe('copy, mistakes', () => {
  test.each([
    [['--to-database', 'mysql://x'], 2, '--to-database must begin with sqlite: or postgres:'],
    [
      ['--to-database', 'sqlite:x.db', '--to-images', 's3://xxx?regoin=y'],
      2,
      '--to-images takes endpoint, region, style',
    ],
    [['--to-database', 'sqlite:x', 'postgres://me:hunter2@x'], 2, 'too many arguments'],
    [['--to-database', 'sqlite:x', '--to-imags=postgres://me:hunter2@x'], 2, 'unknown option'],
    [['--to-database', 'postgres:me:hunter2@x'], 2, '--to-database must be postgres://'],
    [[], 2, "required option '--to-database <address>' not specified"],
  ])('%j', async (options, exit, message) => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    const { code, stderr } = await runProofsheet(['copy', ...options], env)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
    expect(stderr).not.toMatch(/hunter2| {4}at /)
  })

  test('to where it lies already, or from where nothing is', async () => {
    const DATA_DIR = join(await makeFolder(), 'data')
    const database = `sqlite://${DATA_DIR}/proofsheet.db`
    const same = await runProofsheet(['copy', '--to-database', database], { DATA_DIR })
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('source and target are the same')])
    const empty = await runProofsheet(['copy', '--to-database', `${database}-2`], { DATA_DIR })
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('there is nothing to copy')])
  })

  test('a bucket that does not exist is heard of before anything is copied', async () => {
    const { embedded, env, world } = await start()
    await makeProject((await open(embedded)).store)
    const nowhere = world.IMAGES_URL.replace('s3://shots', 's3://nobodys')
    const args = ['copy', '--to-database', world.DATABASE_URL, '--to-images', nowhere]
    const { code, stderr } = await runProofsheet(args, env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such bucket')])
  })

  test('a database that is away, without its password', async () => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    await runProofsheet(['project', 'create'], env)
    const address = 'postgres://me:hunter2@127.0.0.1:1/x'
    const { code, stderr } = await runProofsheet(['copy', '--to-database', address], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The database cannot be reached')])
    expect(stderr).not.toMatch(/hunter2| {4}at /)
  })

  test('a bucket that is away: stops with a sentence, and goes on later', async () => {
    const { embedded, copy } = await start()
    const folder = await makeFolder()
    const { stdout } = await runProofsheet(['project', 'create'], embedded)
    const file = await writeImport(folder, [{ jobs: [page()] }])
    await runProofsheet(['import', '--project', stdout.trim(), file], embedded)
    s3.interfere = ({ method }, response) => {
      if (method !== 'PUT') return false
      response.writeHead(500).end()
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const stopped = await copy()
    expect(stopped.code).toBe(1)
    expect(stopped.stderr).toContain('Stopped. Run the same command again to continue.')
    expect(stopped.stderr).toContain('proofsheet: S3 cannot be reached or is busy: 500')
    s3.interfere = undefined
    expect((await copy()).code).toBe(0)
  })
})
