import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { page, writeImport } from '../support/import-file.ts'
import { runProofsheet, serveProcess } from '../support/process.ts'
import { makePng, rootsUrl } from '../support/results.ts'
import { mountSmall } from '../support/small-disk.ts'
import { makeFolder } from '../support/workspace.ts'

test('a full disk fails imports, keeps reading alive, and heals when there is room', async (context) => {
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
      /Stopped: .* What was added stays; run the same command again to go on\.\nproofsheet: The disk that holds the (pictures|database) is full\.\n$/,
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
