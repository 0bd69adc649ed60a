import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { asAdmin } from '../support/servers/postgres.ts'
import { pictureKey, previewKey } from '../support/store/image-keys.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  submittedJob,
} from '../support/store/results.ts'
import { open, useCopying } from './use-copying.ts'

const { start } = useCopying()

describe('copy', () => {
  test('a picture that is missing in the target is copied; a different one is reported and left alone', async () => {
    const { embedded, world, copy } = await start()
    const from = await open(embedded)
    const projectId = await makeProject(from.store)
    const { rootId } = await addPictures(from, projectId, { jobs: [submittedJob(await makePng())] })
    // Rows without pictures, as after a copy of the database alone.
    expect(await from.images.isShared()).toBe(false)
    expect((await runProofsheet(['copy', '--to-database', world.DATABASE_URL], embedded)).code).toBe(0)
    // One database may know pictures that the other does not: so nothing is swept.
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

  test('rows and projects that differ in the target are reported', async () => {
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

  test('a picture that is damaged in the target is copied again; one that is damaged in the source is reported', async () => {
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

  test('everything that can be copied is copied, the rest is reported, and the exit code is 1', async () => {
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
})
