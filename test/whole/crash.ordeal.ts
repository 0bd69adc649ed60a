import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/storage.ts'
import { proofsheet, runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { rounds } from '../support/runner/rounds.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makePng } from '../support/store/results.ts'

const KILLS = rounds(5)
const ROOTS = 15 * KILLS

test(
  `after ${KILLS} kills of an import at random moments, every acknowledged root is complete, and every row has its picture`,
  async () => {
    const folder = await makeFolder()
    const env = { DATA_DIR: join(folder, 'data') }
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const file = await writeImport(
      folder,
      Array.from({ length: ROOTS }, (_, index) => ({
        created: index,
        jobs: [page({ basepath: `/${index}` }), page({ basepath: `/${index}`, image: 'b.png' })],
      })),
      { 'b.png': await makePng(500, 300, '#aa0000') },
    )
    const acknowledged = new Set<string>()
    let killedWhileAdding = 0
    let runs = 0
    while (killedWhileAdding < KILLS && runs++ < 2 * KILLS) {
      const running = proofsheet(['import', '--project', projectId, file], env)
      // Begins with the first root that this run adds; the moment after it is random, to within a few roots.
      await Promise.race([running.waitFor(/^added /m).catch(() => {}), running.ended])
      await sleep(randomInt(0, 120))
      running.child.kill('SIGKILL')
      const { signal } = await running.ended
      const added = [...running.stdout().matchAll(/^added (\S+)/gm)].map((match) => match[1] as string)
      if (signal === 'SIGKILL' && added.length > 0) killedWhileAdding++
      for (const rootId of added) acknowledged.add(rootId)
    }

    const database = new DatabaseSync(join(env.DATA_DIR, 'proofsheet.db'))
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    database.close()
    const { store, images, close } = await openStorage(readConfig(env))
    const heads = await store.pageRoots(projectId, { limit: ROOTS + 1 })
    const stored = new Set(heads.map((head) => head.rootId))
    expect([...acknowledged].filter((rootId) => !stored.has(rootId))).toEqual([])
    for (const { rootId, jobCount } of heads) {
      const jobs = await store.jobsOf(projectId, [rootId])
      expect([jobCount, jobs.length]).toEqual([2, 2])
      for (const { uuid, width, height } of jobs) {
        for (const key of [pictureKey(projectId, uuid), previewKey(projectId, uuid)]) {
          const image = await images.open(key)
          const bytes = Buffer.concat(
            (await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? [],
          )
          const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
          if (key === pictureKey(projectId, uuid)) expect([info.width, info.height]).toEqual([width, height])
        }
      }
    }
    await close()
    process.stderr.write(
      `${runs} runs, ${killedWhileAdding} killed while roots were being added; ${acknowledged.size} acknowledged, ${stored.size} stored\n`,
    )
    expect(killedWhileAdding).toBe(KILLS)

    const rest = await runProofsheet(['import', '--project', projectId, file], env)
    expect(rest.code).toBe(0)
    expect(rest.stdout.match(/^(added|present) /gm)).toHaveLength(ROOTS)
  },
  rounds(300_000),
)
