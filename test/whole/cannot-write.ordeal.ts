import { access, chmod, constants, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { RIGHTS_COUNT, runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeSmallDisk, NO_MOUNT, remount, run, takeInodes } from '../support/processes/small-disk.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { setDefault } from '../support/servers/postgres.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makePng, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

type Env = Record<string, string>

async function requireDisk(context: TestContext, inodes = 0): Promise<string> {
  return (await makeSmallDisk(6, inodes)) ?? context.skip(NO_MOUNT)
}

/** A project with one imported picture. */
async function furnish(env: Env): Promise<string> {
  const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
  const line = { created: 1, jobs: [page({ image: 'picture.png' })] }
  const file = await writeImport(await makeFolder(), [line], { 'picture.png': await makePng(40, 30) })
  expect((await runProofsheet(['import', '--project', projectId, file], env)).code).toBe(0)
  return projectId
}

async function serve(env: Env, projectId: string, wrapper: readonly string[] = []) {
  const service = await serveProcess({ CAPTURE_CONCURRENCY: '0', LOG_LEVEL: 'info', ...env }, wrapper)
  const send = async (path: string, init?: RequestInit) => {
    const answer = await fetch(service.url + path, init)
    const body = (await answer.json()) as Record<string, string>
    return { status: answer.status, body, retryAfter: answer.headers.get('retry-after') }
  }
  const ask = () =>
    send(`/api/projects/${projectId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        screenshotParameter: { width: 100, height: 100 },
        urls: [{ url: 'https://example.com/', name: 'Home' }],
      }),
    })
  return {
    ...service,
    ready: () => send('/readyz'),
    ask,
    list: async () => (await send(rootsUrl(projectId))).body as unknown as RootResult[],
    statusOf: async (rootId: string) => (await send(`${rootsUrl(projectId)}/${rootId}/status`)).body,
    metrics: async () => await (await fetch(`${service.url}/metrics`)).text(),
    /** Counts such lines of the log. */
    said: (what: string) => service.stderr().split(`"msg":"${what}`).length - 1,
    async stop() {
      service.child.kill('SIGTERM')
      expect((await service.ended).code).toBe(0)
    },
  }
}

type Served = Awaited<ReturnType<typeof serve>>

async function expectReading({ list }: Served, roots: number): Promise<void> {
  const found = await list()
  expect(found).toHaveLength(roots)
  const picture = found.find(({ jobs }) => jobs.length > 0)?.jobs[0]?.data ?? ''
  expect((await fetch(picture)).status).toBe(200)
}

async function expectUnready({ ready, metrics }: Served, code: string, detail: RegExp): Promise<void> {
  await expect.poll(ready).toMatchObject({ status: 503, retryAfter: '5', body: { code } })
  expect((await ready()).body['detail']).toMatch(detail)
  expect((await ready()).body['detail']).toMatch(/Results can still be read\.$/)
  expect(await metrics()).toContain('\nproofsheet_storage_writable 0\n')
}

async function expectHealed(service: Served): Promise<void> {
  await expect.poll(async () => (await service.ready()).status).toBe(200)
  await expect.poll(async () => service.said('everything can be written again')).toBe(1)
  expect(service.said('something cannot be written')).toBe(1)
  expect(await service.metrics()).toContain('\nproofsheet_storage_writable 1\n')
  expect((await service.ask()).status).toBe(201)
}

test.for([
  ['was closed', 'SIGTERM'],
  ['was killed', 'SIGKILL'],
] as const)(
  'a store that %s is served on a read-only file system, and heals when it can be written',
  async ([, signal], context) => {
    const disk = await requireDisk(context)
    const env = { DATA_DIR: join(disk, 'data') }
    const projectId = await furnish(env)
    const before = await serve(env, projectId)
    expect((await before.ask()).status).toBe(201)
    process.kill(before.pid, signal)
    await before.ended
    const left = await readdir(env.DATA_DIR)
    expect(left.includes('proofsheet.db-wal')).toBe(signal === 'SIGKILL')
    expect(remount(disk, 'ro')).toBe(true)

    const service = await serve(env, projectId)
    // Including the last acknowledged one.
    await expectReading(service, 2)
    await expectUnready(service, 'read_only', /read-only.*database can only be read/)
    const refused = await service.ask()
    expect(refused).toMatchObject({
      status: 503,
      retryAfter: '5',
      body: { code: 'read_only', detail: expect.stringMatching(/database can only be read/) },
    })
    await expect.poll(() => service.said('something cannot be written')).toBe(1)

    expect(remount(disk, 'rw')).toBe(true)
    await expectHealed(service)
    await expectReading(service, 3)
    // Other processes may use the database, too.
    expect((await runProofsheet(['project', 'list'], env)).code).toBe(0)
    await service.stop()
  },
)

test('a write-ahead log that cannot be read on a read-only file system prevents the start: older data would be shown', async (context) => {
  const disk = await requireDisk(context)
  const env = { DATA_DIR: join(disk, 'data') }
  const projectId = await furnish(env)
  const before = await serve(env, projectId)
  expect((await before.ask()).status).toBe(201)
  process.kill(before.pid, 'SIGKILL')
  await before.ended
  await rm(join(env.DATA_DIR, 'proofsheet.db-shm'))
  expect(remount(disk, 'ro')).toBe(true)
  const started = await runProofsheet(['serve'], { PORT: '0', ...env })
  expect(started.code).toBe(1)
  expect(started.stderr).toMatch(/the last changes are in .*-wal.* Make the folder writable once/)
})

test('a missing key that cannot be created is named', async (context) => {
  const disk = await requireDisk(context)
  const env = { DATA_DIR: join(disk, 'data') }
  await furnish(env)
  await rm(join(env.DATA_DIR, 'signing-keys'))
  expect(remount(disk, 'ro')).toBe(true)
  const started = await runProofsheet(['serve'], { PORT: '0', ...env })
  expect(started.code).toBe(1)
  expect(started.stderr).toMatch(
    /signing-keys is missing and cannot be created: EROFS.* Restore it from a backup/,
  )
})

test('without free inodes, the service starts and serves its data, and heals when there are some', async (context) => {
  const disk = await requireDisk(context, 100)
  const env = { DATA_DIR: join(disk, 'data') }
  const projectId = await furnish(env)
  expect(await readdir(env.DATA_DIR)).not.toContain('proofsheet.db-shm')
  const giveBack = await takeInodes(disk)
  const service = await serve(env, projectId)
  await expectReading(service, 1)
  await expectUnready(service, 'storage_full', /no inodes left/)
  expect(await service.ask()).toMatchObject({ status: 503, body: { code: 'storage_full' } })
  await giveBack()
  await expectHealed(service)
  await service.stop()
})

test('while the file system of the pictures is read-only, requests wait and their status says why', async (context) => {
  const images = await requireDisk(context)
  const env = { DATA_DIR: join(await makeFolder(), 'data'), IMAGES_URL: `file://${images}` }
  const projectId = await furnish(env)
  const service = await serve(env, projectId)
  expect((await service.ready()).status).toBe(200)
  await expect.poll(() => remount(images, 'ro')).toBe(true)
  await expectUnready(service, 'read_only', /file system that holds the pictures is read-only/)
  await expectReading(service, 1)
  const accepted = await service.ask()
  expect(accepted.status).toBe(201)
  expect(await service.statusOf(accepted.body['jobId'] ?? '')).toMatchObject({
    state: 'queued',
    waiting: { reason: 'read_only', detail: expect.stringMatching(/read-only/) },
  })
  expect(remount(images, 'rw')).toBe(true)
  await expectHealed(service)
  expect(await service.statusOf(accepted.body['jobId'] ?? '')).not.toHaveProperty('waiting')
  await service.stop()
})

test('without the right to write to the folder of pictures, requests wait and their status says why', async (context) => {
  if (RIGHTS_COUNT.length > 0 && !run('setpriv', '--version'))
    context.skip('root needs setpriv to lose its rights')
  const env = { DATA_DIR: join(await makeFolder(), 'data') }
  const projectId = await furnish(env)
  const folders = [join(env.DATA_DIR, 'images'), join(env.DATA_DIR, 'images', '.staging')]
  const allow = async (mode: number) => {
    for (const folder of folders) await chmod(folder, mode)
  }
  onTestFinished(() => allow(0o700))
  await allow(0o500)
  const service = await serve(env, projectId, RIGHTS_COUNT)
  await expectUnready(service, 'read_only', /no right to write to the folder of pictures/)
  await expectReading(service, 1)
  expect(await service.statusOf((await service.ask()).body['jobId'] ?? '')).toMatchObject({
    waiting: { reason: 'read_only' },
  })
  await allow(0o700)
  await expectHealed(service)
  await service.stop()
})

test('with a read-only PostgreSQL server, requests are refused', async () => {
  const DATABASE_URL = await postgres.newDatabase()
  const env = { DATABASE_URL, ...KEYS, DATA_DIR: join(await makeFolder(), 'data') }
  const projectId = await furnish(env)
  const service = await serve(env, projectId)
  expect((await service.ready()).status).toBe(200)
  await setDefault(DATABASE_URL, 'default_transaction_read_only = on')
  await expectUnready(service, 'read_only', /database can only be read/)
  await expectReading(service, 1)
  expect(await service.ask()).toMatchObject({
    status: 503,
    retryAfter: '5',
    body: { code: 'read_only', detail: expect.stringMatching(/server does not allow writing/) },
  })
  await setDefault(DATABASE_URL, 'default_transaction_read_only = off')
  await expectHealed(service)
  await service.stop()
})

test('checking whether the storage can be written leaves nothing behind', async () => {
  const env = { DATA_DIR: join(await makeFolder(), 'data') }
  const projectId = await furnish(env)
  const service = await serve(env, projectId)
  expect((await service.ready()).status).toBe(200)
  const images = join(env.DATA_DIR, 'images')
  expect(await readdir(join(images, '.staging'))).toEqual([])
  // The same if its folder cannot be created.
  await rm(join(images, '.staging'), { recursive: true })
  await writeFile(join(images, '.staging'), '')
  await expect.poll(async () => (await service.ready()).status).toBe(503)
  await rm(join(images, '.staging'))
  await expect.poll(async () => (await service.ready()).status).toBe(200)
  await access(join(images, '.staging'), constants.R_OK)
  await service.stop()
})
