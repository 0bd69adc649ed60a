import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Camera, CaptureFailure } from '../../src/camera/camera.ts'
import { CaptureFigures } from '../../src/capture/figures.ts'
import { openQueue } from '../../src/capture/open-queue.ts'
import { MAX_ATTEMPTS, type Work } from '../../src/capture/queue.ts'
import { createWork } from '../../src/capture/worker.ts'
import { readConfig } from '../../src/config/config.ts'
import { AppError } from '../../src/errors.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { openStorage, type Storage } from '../../src/service/storage.ts'
import type { CaptureProgress, CaptureTask } from '../../src/store/captures.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { bothDatabases, runSql } from '../support/servers/databases.ts'
import { useDatabases } from '../support/servers/use-servers.ts'
import { answersAbout, newRequest, newSeen, PICTURE } from '../support/store/captures.ts'
import { pictureKey } from '../support/store/image-keys.ts'
import { makePng, makeProject } from '../support/store/results.ts'

type Shoot = (task: CaptureTask, signal: AbortSignal) => Promise<void>

const CRASH = () => new CaptureFailure('crashed', 'The page has crashed.')
const bytes = await makePng()

/** A worker whose camera does what the test says and then returns a picture. Its log lines are kept. */
function makeWorker({ store, images }: Storage, shoot: Shoot, stoodStill = false) {
  const lines: Record<string, unknown>[] = []
  const note = (line: object, text: string) => void lines.push({ ...line, text })
  const ended: CaptureTask[] = []
  const figures = new CaptureFigures(() => 0)
  const camera: Camera = {
    ready: async () => ({ path: '', kind: 'headless shell', origin: '', version: '', sandboxed: true }),
    shoot: async (task, signal) => {
      await shoot(task as CaptureTask, signal as AbortSignal)
      return { bytes, seen: newSeen() }
    },
    close: async () => {},
  }
  const log = { info: note, warn: note, error: note } as never
  const work = createWork({
    ...{ camera, captures: store.captures, images, figures, log, clock: () => 1 },
    limits: { picturePixels: 1e6, captureBytes: 1e6 },
    ring: createKeyRing([]),
    standstill: { since: () => stoodStill },
    onBegun: () => {},
    onEnded: (task) => ended.push(task),
  })
  return { work, log, lines, ended, figures }
}

describe.each(bothDatabases(useDatabases()))('%s: an attempt at a page', (_, newDatabase) => {
  const open = async () => {
    const env = { ...(await newDatabase()), DATA_DIR: join(await makeFolder(), 'data') }
    const storage = await openStorage(readConfig(env))
    onTestFinished(() => storage.close())
    const place = {
      dataDir: env.DATA_DIR,
      databaseUrl: 'DATABASE_URL' in env ? String(env.DATABASE_URL) : '',
    }
    const request = newRequest(await makeProject(storage.store))
    await storage.store.captures.accept(request)
    const progress = async () => {
      const found = await storage.store.captures.findProgress(request.projectId, request.rootId)
      return found?.captures[0] as CaptureProgress
    }
    return { storage, place, request, progress }
  }

  /** Works until the page has ended. Time passes as fast as it is requested. */
  const workOff = async (
    storage: Storage,
    { work, log }: { work: Work; log: never },
    progress: () => Promise<CaptureProgress>,
  ) => {
    let now = 2e12
    const clock = () => {
      now += 100_000
      return now
    }
    const over = Promise.withResolvers<void>()
    const queue = openQueue(storage.store.captures, {
      work: async (task, signal) => {
        await work(task, signal)
        over.resolve()
      },
      ...{ concurrency: 1, log, clock },
    })
    await over.promise
    await queue.close()
    return await progress()
  }

  test('that crashes is repeated, and after three the page has failed with `crashed`', async () => {
    const { storage, request, progress } = await open()
    const uuids: string[] = []
    const worker = makeWorker(storage, async ({ uuid }) => {
      uuids.push(uuid)
      throw CRASH()
    })
    expect(await workOff(storage, worker, progress)).toMatchObject({
      state: 'failed',
      attempts: MAX_ATTEMPTS,
      failed: { reason: 'crashed', detail: 'The page has crashed.' },
    })
    expect(new Set(uuids).size).toBe(3)
    expect([worker.ended.length, [...worker.figures.times.keys()]]).toEqual([1, ['crashed']])
    expect(await storage.store.jobsOf(request.projectId, [request.rootId])).toEqual([])
  })

  test('can succeed as the third, after two crashes', async () => {
    const { storage, request, progress } = await open()
    const worker = makeWorker(storage, async ({ attempts }) => {
      if (attempts < 3) throw CRASH()
    })
    expect(await workOff(storage, worker, progress)).toMatchObject({ state: 'done', attempts: 3 })
    expect(await storage.store.jobsOf(request.projectId, [request.rootId])).toHaveLength(1)
  })

  test('that fails in an unknown way is repeated; after three the page fails with `internal`, and only the log says why', async () => {
    const { storage, progress } = await open()
    const worker = makeWorker(storage, async () => {
      throw new Error('a secret of ours')
    })
    const page = await workOff(storage, worker, progress)
    expect(page).toMatchObject({ state: 'failed', attempts: 3, failed: { reason: 'internal' } })
    expect(JSON.stringify(page)).not.toContain('secret')
    const [line] = worker.lines.filter(({ text }) => text === 'a capture failed for good')
    expect(String(line?.['err'])).toContain('a secret of ours')
  })

  test('does not count if the storage or the browser is unavailable, even the last one', async () => {
    const { storage, progress } = await open()
    const reasons = ['unavailable', 'read_only', 'storage_failed', 'no_browser'] as const
    let shots = 0
    const worker = makeWorker(storage, async ({ attempts }) => {
      if (attempts < MAX_ATTEMPTS) throw CRASH()
      const reason = reasons[shots++]
      if (reason) throw new AppError(reason)
    })
    expect(await workOff(storage, worker, progress)).toMatchObject({ state: 'done', attempts: MAX_ATTEMPTS })
    expect(shots).toBe(5)
  })

  test('that fails by fault of the page is not repeated', async () => {
    const { storage, progress } = await open()
    let shots = 0
    const worker = makeWorker(storage, async () => {
      shots++
      throw new CaptureFailure('dns', 'There is no such host.')
    })
    expect(await workOff(storage, worker, progress)).toMatchObject({ attempts: 1, failed: { reason: 'dns' } })
    expect(shots).toBe(1)
  })

  test.each([
    ['crashed', CRASH()],
    ['internal', new Error('a secret of ours')],
  ])('beyond the last one ends the page, too: %s', async (reason, failure) => {
    const { storage, place, progress } = await open()
    await runSql(place, `update captures set attempts = ${MAX_ATTEMPTS + 1}`)
    let shots = 0
    const worker = makeWorker(storage, async () => {
      shots++
      throw failure
    })
    const ended = { attempts: MAX_ATTEMPTS + 2, failed: { reason } }
    expect(await workOff(storage, worker, progress)).toMatchObject(ended)
    expect(shots).toBe(1)
  })

  /** A worker that is frozen before its camera has a picture, while another captures its page. */
  const freeze = async (shoot: Shoot, leaseMs: number, stoodStill = false) => {
    const { storage, request } = await open()
    const { captures } = storage.store
    const begun = Promise.withResolvers<CaptureTask>()
    const woken = Promise.withResolvers<void>()
    const worker = makeWorker(
      storage,
      async (task, signal) => {
        begun.resolve(task)
        await woken.promise
        await shoot(task, signal)
      },
      stoodStill,
    )
    const queue = openQueue(captures, {
      ...{ work: worker.work, concurrency: 1, log: worker.log, leaseMs },
    })
    onTestFinished(() => queue.close())
    const late = await begun.promise
    await captures.putBack(late, { now: 0, due: 0, counts: false, died: true })
    const next = await captures.takeNext({ now: 2e12, leaseMs: 60_000 })
    await captures.finish(next as CaptureTask, PICTURE, 5)
    const answers = () => answersAbout(storage.store, request.projectId, request.rootId)
    const before = await answers()
    woken.resolve()
    return { storage, worker, late, answers, before }
  }

  test.each([
    ['has a picture', async () => {}],
    [
      'has failed',
      async () => {
        throw new CaptureFailure('dns', 'There is no such host.')
      },
    ],
  ])('that was frozen, wakes up and %s changes nothing, and its worker notices', async (_title, shoot) => {
    const { worker, late, answers, before } = await freeze(shoot, 600_000)
    const lines = () => worker.lines.filter(({ text }) => text === 'captured')
    await expect.poll(lines, { timeout: 60_000 }).toMatchObject([{ rootId: late.rootId, late: true }])
    expect(await answers()).toEqual(before)
    expect([worker.ended, worker.figures.times.size]).toEqual([[], 0])
  })

  test('that was frozen and fails for that reason is not reported as one that will be repeated', async () => {
    const fail: Shoot = async () => {
      throw new CaptureFailure('timeout', 'It did not answer in time.')
    }
    const { worker, answers, before } = await freeze(fail, 600_000, true)
    await expect
      .poll(() => worker.lines.map(({ text }) => text), { timeout: 60_000 })
      .toEqual(['another process has taken over a capture'])
    expect(await answers()).toEqual(before)
  })

  test('that another process took over stops, and its picture is not stored', async () => {
    const untilLost: Shoot = async (_task, signal) => {
      if (!signal.aborted) await once(signal, 'abort')
    }
    const { storage, worker, late, answers, before } = await freeze(untilLost, 1_000)
    const lines = () => worker.lines.filter(({ text }) => String(text).includes('has taken over a capture'))
    await expect.poll(lines, { timeout: 60_000 }).toHaveLength(1)
    expect(await answers()).toEqual(before)
    expect(await storage.images.open(pictureKey(late.projectId, late.uuid))).toBeUndefined()
    expect(worker.ended).toEqual([])
  })
})
