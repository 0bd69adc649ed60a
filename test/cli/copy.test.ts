import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { pictureKey, previewKey } from '../../src/images/images.ts'
import { openStorage } from '../../src/storage.ts'
import { page, writeImport } from '../support/import-file.ts'
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
    for (let index = 0; index < 150; index++) {
      const jobs = Array.from({ length: 4 }, () => submittedJob(png, { basepath: `/${index}` }))
      await addPictures(from, projectId, { created: index, jobs })
    }
    const to = await open(world)
    const count = async () => (await to.store.listProjects())[0]?.roots ?? 0
    let kills = 0
    for (; kills < 3; kills++) {
      const already = await count()
      const running = proofsheet(args, env)
      while ((await count()) < already + 20) await sleep(5)
      running.child.kill('SIGKILL')
      expect((await running.ended).signal).toBe('SIGKILL')
      expect(await count()).toBeLessThan(150)
    }
    const last = await copy()
    expect([last.code, last.stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 150 roots with 600 pictures are the same.'),
    ])
    const present = Number(/, (\d+) roots already there/.exec(last.stderr)?.[1])
    expect(present).toBeGreaterThanOrEqual(60)
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
    while (((await to.store.listProjects())[0]?.roots ?? 0) < 5) await sleep(5)
    for (let created = 200; created < 210; created++) await add(created)
    expect((await running.ended).code).toBe(0)
    expect((await to.store.listProjects())[0]?.roots).toBe(70)
  })

  test('a picture that is missing or different there is copied once more', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    expect((await copy()).code).toBe(0)
    const [job] = await from.store.jobsOf(projectId, [rootId])
    const to = await open(world)
    const batch = await to.images.startBatch()
    await batch.add(pictureKey(projectId, job?.uuid ?? ''), Buffer.from('something else'))
    await batch.publish()
    await batch.discard()
    const again = await copy()
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 file copied once more')])
    expect((await copy()).stderr).not.toContain('once more')
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
    expect(stdout).toMatch(/3 \/ 2 .*not all there/)
    expect(await to.store.findRoot(projectId, fine?.rootId ?? '')).toMatchObject({ jobCount: 1 })
    expect(await to.store.findRoot(projectId, lost?.rootId ?? '')).toBeUndefined()
  })

  test('only the database: pictures stay where they are', async () => {
    const { embedded, world } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    const { code, stderr } = await runProofsheet(['copy', '--to-database', world.DATABASE_URL], embedded)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 1 root with 1 picture are the same.'),
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
    [['--to-database', 'postgres:me:hunter2@x'], 2, '--to-database must be postgres://'],
    [[], 2, "required option '--to-database <address>' not specified"],
    [['--to-database', 'postgres://me:hunter2@127.0.0.1:1/x'], 1, 'The database cannot be reached'],
  ])('%j', async (options, exit, message) => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    const { code, stderr } = await runProofsheet(['copy', ...options], env)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
    expect(stderr).not.toMatch(/hunter2| {4}at /)
  })

  test('to where it lies already', async () => {
    const DATA_DIR = join(await makeFolder(), 'data')
    const { code, stderr } = await runProofsheet(
      ['copy', '--to-database', `sqlite://${DATA_DIR}/proofsheet.db`],
      { DATA_DIR },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('that database is the one to copy from')])
  })

  test('a bucket that is away: stops with a sentence, and goes on later', async () => {
    const { embedded, copy } = await start()
    const folder = await makeFolder()
    const { stdout } = await runProofsheet(['project', 'create'], embedded)
    const file = await writeImport(folder, [{ jobs: [page()] }])
    await runProofsheet(['import', '--project', stdout.trim(), file], embedded)
    s3.interfere = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const stopped = await copy()
    expect(stopped.code).toBe(1)
    expect(stopped.stderr).toContain('Stopped. What was copied stays; run the same command again to go on.')
    expect(stopped.stderr).toContain('proofsheet: S3 cannot be reached or is busy: 500')
    s3.interfere = undefined
    expect((await copy()).code).toBe(0)
  })
})
