import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ImageKey } from '../../src/images/images.ts'
import { proofsheet, runProofsheet, serveProcess } from '../support/processes/process.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { withoutAddresses } from '../support/servers/worlds.ts'
import { FAILURE, newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'
import { open, useCopying } from './use-copying.ts'

const { s3, start } = useCopying()

const answersOf = async (env: Record<string, string>, projectId: string, key: string) => {
  const service = await serveProcess({ ...env, AUTH: 'keys' })
  const answer = await fetch(service.url + rootsUrl(projectId), { headers: { authorization: key } })
  return [answer.status, answer.status === 200 ? withoutAddresses(await answer.text()) : '']
}

describe('copy', () => {
  test('copies everything while the service runs; afterwards both answer the same', async () => {
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
      jobs: Array.from({ length: 12 }, (_, index) => submittedJob(png, { name: `Ω "${index}" \\ 😀` })),
    })
    const valid = await makeKey(from.store, projectId)
    const revoked = await makeKey(from.store, projectId)
    await from.store.revokeKey(revoked.keyId, 77)
    const serving = await serveProcess(embedded)

    const first = await copy()
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 13 roots with 24 pictures'),
    ])
    expect(first.stdout).toMatch(new RegExp(`${projectId} +13 / 13 +24 / 24 +all there`))
    expect(first.stdout).toMatch(new RegExp(`${other} +0 / 0 +0 / 0 +all there`))
    expect((await fetch(serving.url + rootsUrl(projectId))).status).toBe(200)

    const here = await answersOf(embedded, projectId, valid.secret)
    expect(here[1]?.toString().length).toBeGreaterThan(10_000)
    expect(await answersOf(world, projectId, valid.secret)).toEqual(here)
    expect(await answersOf(world, projectId, revoked.secret)).toEqual([401, ''])
    const to = await open(world)
    expect(await to.store.listKeys()).toEqual(await from.store.listKeys())

    // A second run copies only new rows.
    await from.store.revokeKey(valid.keyId, 99)
    await addPictures(from, other, { jobs: [submittedJob(png)] })
    const second = await copy()
    expect(second.stderr).toContain('Copied: 1 root with 1 picture, 13 roots already there.')
    expect(second.code).toBe(0)
    expect(await to.store.listKeys()).toEqual(await from.store.listKeys())
  })

  test('that was killed and is run again copies everything once, and verifies it', async () => {
    const { embedded, world, args, env, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 60; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    const to = await open(world)
    const count = async () => (await to.store.countProjects())[0]?.roots ?? 0
    let kills = 0
    for (; kills < 3; kills++) {
      const already = await count()
      const running = proofsheet(args, env)
      while ((await count()) < already + 8) await sleep(20)
      running.child.kill('SIGKILL')
      expect((await running.ended).signal).toBe('SIGKILL')
      expect(await count()).toBeLessThan(60)
    }
    const last = await copy()
    expect([last.code, last.stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 60 roots with 60 pictures are the same.'),
    ])
    const present = Number(/, (\d+) roots already there/.exec(last.stderr)?.[1])
    expect(present).toBeGreaterThanOrEqual(24)
    // This does not rely on the report of the command alone.
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

  test('includes roots that are added while it runs', async () => {
    const { embedded, world, args, env } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    const add = (created: number) =>
      addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    for (let created = 100; created < 160; created++) await add(created)
    const running = proofsheet(args, env)
    const to = await open(world)
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 5) await sleep(20)
    for (let created = 200; created < 210; created++) await add(created)
    expect((await running.ended).code).toBe(0)
    expect((await to.store.countProjects())[0]?.roots).toBe(70)
  })

  test('copies requests with their results; an unfinished one is left for the next run', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const options = { tags: ['a'], headers: { authorization: '' } }
    const asked = newRequest(projectId, { pages: 3, idempotencyKey: 'once', options })
    const pages = asked.pages.map((page, index) => ({
      ...{ ...page, sealed: `1.k1.${index}` },
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
      expect.stringMatching(
        `root ${request.rootId}: is still being captured.*never copied: 1 of its pages still`,
      ),
    ])
    expect(await asAdmin(world.DATABASE_URL, 'select * from secrets')).toEqual([])
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
    // A client that repeats its request at the target gets the root that it got here.
    expect(await to.store.captures.accept({ ...request, rootId: projectId })).toBe(request.rootId)
  })

  test('copies templates, schedules and webhooks, schedules paused, and reports later changes', async () => {
    const { embedded, world, copy } = await start()
    const { store: here } = await open(embedded)
    const projectId = await makeProject(here)
    const [templateId, scheduleId, webhookId] = [randomUUID(), randomUUID(), randomUUID()]
    const [template, schedule] = [
      { projectId, templateId },
      { projectId, scheduleId },
    ]
    const kept = { name: 'Nightly', request: '{"urls":[]}', sealed: '1.k1.abc', created: 1 }
    await here.templates.create({ ...template, ...kept })
    const times = { cron: '0 2 * * *', timezone: 'Europe/Berlin', every: undefined }
    await here.schedules.create({
      ...{ ...schedule, ...kept, ...times, templateId, request: undefined, sealed: undefined },
      ...{ overlap: 'skip', paused: false, next: { next: 5, due: 6 } },
    })
    const settings = {
      name: 'Mine',
      url: 'https://example.com/hooks',
      format: 'slack',
      paused: false,
    } as const
    const secrets = [{ sealed: '1.k1.new' }, { sealed: '1.k1.old', until: 77 }]
    const webhook = { projectId, webhookId, ...settings, events: ['root.finished' as const], secrets }
    await here.webhooks.create({ ...webhook, created: 3 }, { most: 1 })
    const later = { ...newRequest(projectId), origin: { scheduled: 4_000_000_000_000 } }
    await here.captures.accept(later)

    const first = await copy()
    expect(first.stderr).toMatch(
      /Also copied: 1 template, 1 schedule, 1 webhook\.\nSchedules are paused there/,
    )
    expect(first.stderr).toContain(`root ${later.rootId}: is scheduled for later, and is not copied`)
    await here.scheduledRoots.cancel(later, 9)
    const { store: there } = await open(world)
    expect(await there.templates.find(template)).toMatchObject(kept)
    const copied = await there.schedules.find({ projectId, scheduleId })
    expect(copied).toMatchObject({ name: 'Nightly', ...times, templateId, paused: true, next: undefined })
    expect(await there.webhooks.find(webhook)).toMatchObject(webhook)

    const again = await copy()
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('too:')])
    await here.templates.change(template, { ...kept, name: 'Daily', changed: 9 }, {})
    const changed = await copy()
    expect([changed.code, changed.stderr]).toEqual([
      1,
      expect.stringContaining(`template ${templateId}: is not the same there`),
    ])
  })

  test('gives the target the same keys and projects even if they change while it runs', async () => {
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
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 5) await sleep(20)
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

  test('that is interrupted finishes the work under way, exits with 1, and continues when run again', async () => {
    const { embedded, world, args, env, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 80; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    const running = proofsheet(args, env)
    const to = await open(world)
    while (((await to.store.countProjects())[0]?.roots ?? 0) < 10) await sleep(20)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(1)
    expect(running.stderr()).toContain('Stopped. Run the same command again to continue.')
    expect((await to.store.countProjects())[0]?.roots).toBeLessThan(80)
    expect((await copy()).code).toBe(0)
  })

  test('survives a temporary fault', async () => {
    const { embedded, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const png = await makePng()
    for (let created = 0; created < 30; created++) {
      await addPictures(from, projectId, { created, jobs: [submittedJob(png, { basepath: `/${created}` })] })
    }
    let requests = 0
    s3.interfere = ({ method }, response) => {
      // The SDK tries three times; from time to time all three fail.
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

  test('of the database alone leaves the pictures untouched', async () => {
    const { embedded, world } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    // More jobs than are read at a time.
    await addRows(from.store, projectId, { jobs: 250 })
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    const [job] = await from.store.jobsOf(projectId, [rootId])
    const file = join(embedded.DATA_DIR, 'images', pictureKey(projectId, job?.uuid ?? ''))
    const before = await stat(file)
    const { code, stderr } = await runProofsheet(['copy', '--to-database', world.DATABASE_URL], embedded)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Verified: 2 roots with 251 pictures are the same.'),
    ])
    expect((await stat(file)).ino).toBe(before.ino)
  })

  test('of the pictures alone leaves the database where it is', async () => {
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

  test('works in the other direction, to one machine', async () => {
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
