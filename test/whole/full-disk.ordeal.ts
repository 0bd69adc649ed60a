import { execFileSync } from 'node:child_process'
import { appendFile, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { mountSmall } from '../support/processes/small-disk.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makePng, rootsUrl } from '../support/store/results.ts'

/** Fills the disk to the last block. */
async function fill(disk: string): Promise<void> {
  for (let left = 6_000_000; left >= 1_024; left /= 2) {
    await appendFile(join(disk, 'ballast'), Buffer.alloc(left)).catch(() => {})
  }
  expect((await statfs(disk)).bavail).toBe(0)
}

test('on a full disk, the service starts and serves its data, and heals when there is room', async (context) => {
  const disk = await makeFolder()
  if (!mountSmall(disk)) context.skip('this user may not mount a small file system')
  try {
    const env = { DATA_DIR: join(disk, 'data'), CAPTURE_CONCURRENCY: '0' }
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const folder = await makeFolder()
    const line = { created: 1, jobs: [page({ image: 'picture.png' })] }
    const file = await writeImport(folder, [line], { 'picture.png': await makePng(40, 30) })
    expect((await runProofsheet(['import', '--project', projectId, file], env)).code).toBe(0)
    // The last process that closed the database has removed the files beside it.
    expect(await readdir(env.DATA_DIR)).not.toContain('proofsheet.db-shm')
    await fill(disk)

    const service = await serveProcess(env)
    const get = (path: string) => fetch(service.url + path)
    const ask = () =>
      fetch(`${service.url}/api/projects/${projectId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          screenshotParameter: { width: 100, height: 100 },
          urls: [{ url: 'https://example.com/', name: 'Home' }],
        }),
      })
    const [root] = (await (await get(rootsUrl(projectId))).json()) as RootResult[]
    expect((await fetch(root?.jobs[0]?.data ?? '')).status).toBe(200)
    const ready = await get('/readyz')
    expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'storage_full' }])
    const refused = await ask()
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'storage_full' }])

    await rm(join(disk, 'ballast'))
    // Once it has looked, other processes may use the database, too.
    await expect
      .poll(async () => (await runProofsheet(['project', 'list'], env)).code, { timeout: 30_000 })
      .toBe(0)
    const accepted = await ask()
    expect(accepted.status).toBe(201)
    const { jobId } = (await accepted.json()) as { jobId: string }
    expect((await get(`${rootsUrl(projectId)}/${jobId}/status`)).status).toBe(200)
    expect((await get('/readyz')).status).toBe(200)
    service.child.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})

test('a full disk makes imports fail, reading continues, and the service heals when there is room', async (context) => {
  const disk = await makeFolder()
  if (!mountSmall(disk)) context.skip('this user may not mount a small file system')
  try {
    const env = { DATA_DIR: join(disk, 'data') }
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const folder = await makeFolder()
    const noise = await makePng(400, 300)
    const lines = Array.from({ length: 200 }, (_, index) => ({
      created: index,
      jobs: [page({ basepath: `/${index}`, image: 'noise.png' })],
    }))
    const file = await writeImport(folder, lines, {
      'noise.png': Buffer.concat([noise, Buffer.alloc(20_000)]),
    })
    const service = await serveProcess(env)
    const list = async () => (await (await fetch(service.url + rootsUrl(projectId))).json()) as RootResult[]
    await writeFile(join(disk, 'ballast'), Buffer.alloc(2_500_000))

    const full = await runProofsheet(['import', '--project', projectId, file], env)
    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(
      /Stopped: .* Run the same command again to continue\.\nproofsheet: The disk that holds the (pictures|database) is full\.\n$/,
    )
    const added = full.stdout.match(/^added/gm)?.length ?? 0
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(200)
    const roots = await list()
    expect(roots.length).toBeGreaterThanOrEqual(added)
    for (const { jobs } of roots) expect((await fetch(jobs[0]?.data ?? '')).status).toBe(200)

    await rm(join(disk, 'ballast'))
    const again = await runProofsheet(['import', '--project', projectId, file], env)
    const now = await list()
    expect(now.length).toBeGreaterThan(roots.length)
    expect(again.stdout.match(/^present/gm)).toHaveLength(roots.length)
    service.child.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})
