import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { AppError } from '../../src/errors.ts'
import { readFolder } from '../../src/intake/folder.ts'
import { type Entry, type ImportOutcome, importAll } from '../../src/intake/import-all.ts'
import { countPictures, readNdjson } from '../../src/intake/ndjson.ts'
import { parseEntry } from '../../src/intake/submission.ts'
import { openStorage, type Storage } from '../../src/service/storage.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makePng, makeProject, UNLIMITED } from '../support/store/results.ts'

async function openIntake() {
  const folder = await makeFolder()
  const storage = await openStorage(readConfig({ DATA_DIR: join(folder, 'data') }))
  const projectId = await makeProject(storage.store)
  const imported = (
    entries: Iterable<Entry> | AsyncIterable<Entry>,
    limits = UNLIMITED,
  ): Promise<ImportOutcome[]> =>
    Array.fromAsync(importAll({ ...storage, limits, clock: () => 1_790_000_000_000 }, projectId, entries))
  return { folder, storage, projectId, imported, importFile: (file: string) => imported(readNdjson(file)) }
}

async function contents({ store }: Storage, projectId: string) {
  const roots = await store.pageRoots(projectId, { limit: 100 })
  return await Promise.all(
    roots.map(async (root) => ({ ...root, jobs: await store.jobsOf(projectId, [root.rootId]) })),
  )
}

describe('a file of roots', () => {
  test('becomes roots with all their fields', async () => {
    const { folder, storage, projectId, importFile } = await openIntake()
    const [rootId, uuid] = [randomUUID(), randomUUID()]
    const file = await writeImport(
      folder,
      [
        {
          rootId: rootId.toUpperCase(),
          created: 1_605_813_006_223,
          jobs: [
            page({
              url: { url: 'https://example.com/a', name: 'A', loadingTime: 2_000 },
              image: 'shots/wide.png',
              preview: 'a.png',
              uuid: uuid.toUpperCase(),
              created: 1_605_813_006_999,
              basepath: '/exports',
              width: 900,
              height: 30,
            }),
            page({ url: 'https://example.com/b?x=1' }),
          ],
        },
        '',
        { jobs: [page()] },
      ],
      { 'shots/wide.png': await makePng(900, 30) },
    )
    expect(await importFile(file)).toMatchObject([
      { where: 'results.ndjson:1', outcome: 'added', rootId, jobs: 2 },
      { where: 'results.ndjson:3', outcome: 'added', jobs: 1 },
    ])
    const [newest, older] = await contents(storage, projectId)
    expect(newest).toMatchObject({
      created: 1_790_000_000_000,
      jobs: [{ created: 1_790_000_000_000, basepath: '/tmp', loadingTime: 15_000 }],
    })
    expect(older).toMatchObject({
      rootId,
      created: 1_605_813_006_223,
      jobs: [
        {
          uuid,
          url: 'https://example.com/a',
          name: 'A',
          loadingTime: 2_000,
          created: 1_605_813_006_999,
          basepath: '/exports',
          width: 900,
          height: 30,
        },
        {
          url: 'https://example.com/b?x=1',
          name: 'example.com/b?x=1',
          loadingTime: 15_000,
          created: 1_605_813_006_223,
          width: 64,
          height: 48,
        },
      ],
    })
    const preview = await storage.images.open(`${projectId}/${uuid}-preview.png`)
    expect(preview?.size).toBe((await makePng()).length)
    await preview?.close()
  })

  test('that is imported again adds nothing; the same line with another picture is another root', async () => {
    const { folder, storage, projectId, importFile } = await openIntake()
    const file = await writeImport(folder, [
      { jobs: [page()] },
      { rootId: randomUUID(), jobs: [page(), page()] },
    ])
    const first = await importFile(file)
    const before = await contents(storage, projectId)
    const second = await importFile(file)
    expect(second).toEqual(first.map((outcome) => ({ ...outcome, outcome: 'present' })))
    expect(await contents(storage, projectId)).toEqual(before)
    await writeFile(join(folder, 'a.png'), await makePng(64, 48, '#ffffff'))
    expect((await importFile(file)).map(({ outcome }) => outcome)).toEqual(['added', 'failed'])
  })

  test('has its bad lines reported with file, line and reason; its good ones are added', async () => {
    const { folder, storage, projectId, importFile } = await openIntake()
    const taken = randomUUID()
    const png = await makePng(200, 100)
    const lines: [string | object, string | undefined][] = [
      [{ jobs: [page({ uuid: taken })] }, undefined],
      ['{"jobs": [', 'is not JSON'],
      ['[]', 'the line must be an object with jobs'],
      ['null', 'the line must be an object with jobs'],
      [{ jobs: [] }, 'jobs must be a list of 1 or more jobs'],
      [{ jobs: [{ image: 'a.png' }] }, 'jobs.0.url must be an object with url'],
      [{ jobs: [page({ preveiw: 'a.png' })] }, 'jobs.0.preveiw is not known; did you mean preview?'],
      [{ rootId: 'x', jobs: [page()] }, 'rootId must be a UUID'],
      [{ created: '2020', jobs: [page()] }, 'created must be a whole number from 0 to 8640000000000000'],
      [{ jobs: [page({ url: 'a\u0000b' })] }, 'jobs.0.url.url must not contain a NUL character'],
      [{ jobs: [page({ image: 'missing.png' })] }, 'missing.png does not exist'],
      [{ jobs: [page(), page({ image: 'cut.png' })] }, 'cut.png is not a whole picture'],
      [{ jobs: [page({ image: 'text.png' })] }, 'text.png is not a whole picture'],
      [{ jobs: [page({ image: 'endless.png' })] }, 'endless.png is not a whole picture (it is cut off)'],
      [{ jobs: [page({ image: 'pipe.png' })] }, 'pipe.png is not a file'],
      [{ jobs: [page({ image: 'drawing.svg' })] }, 'drawing.svg is svg, not png, jpeg, webp'],
      [{ jobs: [page({ image: 'folder' })] }, 'folder is not a file'],
      [{ jobs: [page({ image: '/etc/hostname' })] }, 'must be a relative path'],
      [{ jobs: [page({ preview: 'cut.png' })] }, 'cut.png is not a whole picture'],
      [{ jobs: [page({ width: 65 })] }, 'a.png is 64 × 48 pixels, not 65 × 48 as stated'],
      [{ jobs: [page({ uuid: taken, basepath: '/other' })] }, `job ${taken} exists already`],
      [
        {
          jobs: [
            page({ uuid: '00000000-0000-4000-8000-000000000000' }),
            page({ uuid: '00000000-0000-4000-8000-000000000000' }),
          ],
        },
        'twice',
      ],
      [{ jobs: [page({ url: 'https://example.com/last' })] }, undefined],
    ]
    const file = await writeImport(
      folder,
      lines.map(([line]) => line),
      {
        'cut.png': png.subarray(0, png.length - 30),
        'text.png': 'hello',
        'endless.png': png.subarray(0, png.length - 1),
        'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
        'folder/x': '',
      },
    )
    execFileSync('mkfifo', [join(folder, 'pipe.png')])
    const outcomes = await importFile(file)
    for (const [index, [, reason]] of lines.entries()) {
      expect(outcomes[index]).toMatchObject({
        where: `results.ndjson:${index + 1}`,
        ...(reason === undefined
          ? { outcome: 'added' }
          : { outcome: 'failed', reason: expect.stringContaining(reason) }),
      })
    }
    expect(await contents(storage, projectId)).toHaveLength(2)
    expect(await readdir(join(folder, 'data', 'images', projectId))).toHaveLength(4)
    expect(await readdir(join(folder, 'data', 'images', '.staging'))).toEqual([])
  })

  test('may have a byte order mark, CRLF, blank lines, and no final newline', async () => {
    const { folder, imported } = await openIntake()
    const line = (index: number) => JSON.stringify({ jobs: [page({ basepath: `/${index}` })] })
    await writeImport(folder, [])
    const file = join(folder, 'odd.ndjson')
    await writeFile(file, `\ufeff${line(1)}\r\n\r\n   \n${' '.repeat(300)}${line(2)}\n\t\n${line(3)}`)
    const outcomes = await imported(readNdjson(file))
    expect(outcomes.map(({ where, outcome }) => [where, outcome])).toEqual([
      ['odd.ndjson:1', 'added'],
      ['odd.ndjson:4', 'added'],
      ['odd.ndjson:6', 'added'],
    ])
    expect(await countPictures(file)).toBe(3)
    await writeFile(file, '\ufeff\r\n')
    expect(await imported(readNdjson(file))).toEqual([])
  })

  test('with a line that is too long for memory has that line refused, and the others added', async () => {
    const { folder, imported } = await openIntake()
    const line = (index: number) => JSON.stringify({ jobs: [page({ basepath: `/${index}` })] })
    await writeImport(folder, [])
    const file = join(folder, 'long.ndjson')
    await writeFile(file, `${line(1)}\n${'x'.repeat(65 * 1024 * 1024)}\n${line(2)}\n`)
    expect(await imported(readNdjson(file))).toMatchObject([
      { outcome: 'added' },
      { where: 'long.ndjson:2', outcome: 'failed', reason: 'is longer than 64 MiB' },
      { outcome: 'added' },
    ])
  })

  test('has the first ten mistakes of a line reported, and that there are more', async () => {
    const { folder, importFile } = await openIntake()
    const unknown = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`field${index}`, 1]))
    const file = await writeImport(folder, [
      { jobs: [page(unknown)] },
      { jobs: Array.from({ length: 30 }, () => page({ width: 0 })) },
    ])
    const [first, second] = (await importFile(file)) as { reason?: string }[]
    const places = Array.from({ length: 10 }, (_, index) => `jobs.0.field${index}`)
    expect(first?.reason).toBe(
      `${places.join(', ')}: is not known; known are url, image, preview, uuid, created, basepath, width, height; and more`,
    )
    expect(second?.reason).toMatch(
      /^jobs\.0\.width, .*, jobs\.9\.width: must be a whole number from 1 to 1000000; and more$/,
    )
  })

  test('with two contradicting lines keeps the first, however long it takes', async () => {
    const { folder, importFile } = await openIntake()
    const slow = await sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: '#123456' } })
      .png()
      .toBuffer()
    const [rootId, uuid] = [randomUUID(), randomUUID()]
    const lines = [
      { rootId, jobs: [page({ image: 'slow.png' })] },
      { rootId, jobs: [page()] },
      { jobs: [page({ image: 'slow.png', uuid })] },
      { jobs: [page({ uuid })] },
    ]
    const outcomes = await importFile(await writeImport(folder, lines, { 'slow.png': slow }))
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['added', 'failed', 'added', 'failed'])
  })

  test('stops at the root in whose preparation the storage fails', async () => {
    const { folder, storage, projectId } = await openIntake()
    const file = await writeImport(
      folder,
      Array.from({ length: 8 }, (_, index) => ({ created: index, jobs: [page()] })),
    )
    let batches = 0
    const startBatch = storage.images.startBatch.bind(storage.images)
    storage.images.startBatch = async () => {
      if (++batches === 2) throw new AppError('storage_full')
      return await startBatch()
    }
    const outcomes: ImportOutcome[] = []
    const importing = async () => {
      const intake = { ...storage, limits: UNLIMITED, clock: Date.now }
      for await (const outcome of importAll(intake, projectId, readNdjson(file))) outcomes.push(outcome)
    }
    await expect(importing()).rejects.toMatchObject({ code: 'storage_full' })
    expect(outcomes.length).toBeLessThan(4)
    expect(await contents(storage, projectId)).toHaveLength(outcomes.length)
    expect(await readdir(join(folder, 'data', 'images', '.staging'))).toEqual([])
  })

  test('leaves nothing staged when the run is left early', async () => {
    const { folder, storage, projectId } = await openIntake()
    const file = await writeImport(
      folder,
      Array.from({ length: 8 }, (_, index) => ({ created: index, jobs: [page()] })),
    )
    const intake = { ...storage, limits: UNLIMITED, clock: Date.now }
    for await (const outcome of importAll(intake, projectId, readNdjson(file))) if (outcome) break
    expect(await readdir(join(folder, 'data', 'images', '.staging'))).toEqual([])
  })

  test('with a wrong size is refused when repeated, too', async () => {
    const { folder, importFile } = await openIntake()
    const rootId = randomUUID()
    await importFile(await writeImport(folder, [{ rootId, jobs: [page()] }]))
    expect(
      await importFile(await writeImport(folder, [{ rootId, jobs: [page({ width: 999 })] }])),
    ).toMatchObject([{ outcome: 'failed', reason: 'a.png is 64 × 48 pixels, not 999 × 48 as stated' }])
  })

  test('reports the roots added before the storage failed, and leaves nothing staged', async () => {
    const { folder, storage, projectId } = await openIntake()
    const file = await writeImport(
      folder,
      Array.from({ length: 12 }, (_, index) => ({ created: index, jobs: [page()] })),
    )
    let adds = 0
    const addRoot = storage.store.addRoot.bind(storage.store)
    storage.store.addRoot = async (...args) => {
      if (++adds > 3) throw new AppError('storage_full')
      return await addRoot(...args)
    }
    const outcomes: ImportOutcome[] = []
    const importing = async () => {
      const intake = { ...storage, limits: UNLIMITED, clock: Date.now }
      for await (const outcome of importAll(intake, projectId, readNdjson(file))) outcomes.push(outcome)
    }
    await expect(importing()).rejects.toMatchObject({ code: 'storage_full' })
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['added', 'added', 'added'])
    expect(await readdir(join(folder, 'data', 'images', '.staging'))).toEqual([])
  })

  test('with a conflicting root leaves the first one and its pictures alone', async () => {
    const { folder, storage, projectId, importFile } = await openIntake()
    const [rootId, uuid] = [randomUUID(), randomUUID()]
    const first = { rootId, jobs: [page({ uuid })] }
    await importFile(await writeImport(folder, [first]))
    const before = await contents(storage, projectId)
    const other = await writeImport(
      folder,
      [
        { rootId, jobs: [page({ uuid, image: 'b.png' })] },
        { rootId: randomUUID(), jobs: [page({ uuid, image: 'b.png' })] },
      ],
      { 'b.png': await makePng(10, 10) },
    )
    expect(await importFile(other)).toMatchObject([
      { outcome: 'failed', reason: `root ${rootId} exists already with other content` },
      { outcome: 'failed', reason: `job ${uuid} exists already, in root ${rootId}` },
    ])
    expect(await contents(storage, projectId)).toEqual(before)
    const picture = await storage.images.open(`${projectId}/${uuid}.png`)
    expect(picture?.size).toBe((await makePng()).length)
    await picture?.close()
  })

  test('may have JPEG and WebP, which become upright PNG; a PNG is not changed', async () => {
    const { folder, storage, projectId, importFile } = await openIntake()
    const png = await makePng(40, 20)
    const jpeg = await sharp(png).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const pictures = { 'a.png': png, 'b.jpg': jpeg, 'c.webp': await sharp(png).webp().toBuffer() }
    const jobs = Object.keys(pictures).map((image) => page({ image }))
    await importFile(await writeImport(folder, [{ jobs }], pictures))
    const [root] = await contents(storage, projectId)
    expect(root?.jobs.map(({ width, height }) => [width, height])).toEqual([
      [40, 20],
      [20, 40],
      [40, 20],
    ])
    for (const job of root?.jobs ?? []) {
      const image = await storage.images.open(`${projectId}/${job.uuid}.png`)
      const bytes = Buffer.concat((await image?.stream({ start: 0, end: image.size - 1 }).toArray()) ?? [])
      expect(await sharp(bytes).metadata()).toMatchObject({
        format: 'png',
        width: job.width,
        height: job.height,
      })
    }
  })

  test('respects the limits: jobs of a root, bytes and pixels of a picture', async () => {
    const { folder, imported } = await openIntake()
    const file = await writeImport(folder, [{ jobs: [page(), page(), page()] }, { jobs: [page()] }])
    expect(await imported(readNdjson(file), { ...UNLIMITED, jobsPerRoot: 2 })).toMatchObject([
      { outcome: 'failed', reason: 'has 3 jobs, and a root has at most 2: split it' },
      { outcome: 'added' },
    ])
    const large = await writeImport(folder, [{ jobs: [page({ basepath: '/x' })] }])
    expect(await imported(readNdjson(large), { ...UNLIMITED, pictureBytes: 10 })).toMatchObject([
      { reason: 'a.png has more than 10 bytes' },
    ])
    expect(await imported(readNdjson(large), { ...UNLIMITED, picturePixels: 100 })).toMatchObject([
      { reason: 'a.png is 64 × 48 pixels, more than MAX_PICTURE_PIXELS (100)' },
    ])
  })

  test('stops with an error if the disk fails', async () => {
    const { folder, storage, imported } = await openIntake()
    const file = await writeImport(folder, [{ jobs: [page()] }])
    await storage.store.close()
    await expect(imported(readNdjson(file))).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('property: has each line parsed, or refused with a reason', () => {
    const source = { label: 'x', read: async () => Buffer.alloc(0) }
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ rootId: fc.anything(), created: fc.anything(), jobs: fc.anything() }, { requiredKeys: [] })
        .map(
          (value) =>
            JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)) ?? '',
        ),
      fc
        .record({ jobs: fc.array(fc.record({ url: fc.anything(), image: fc.anything() })) })
        .map((value) =>
          JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
        ),
    )
    fc.assert(
      fc.property(line, (text) => {
        try {
          expect(parseEntry(text, () => source).jobs.length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_request', message: expect.stringMatching(/\S/) })
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a folder of pictures', () => {
  test('becomes one root, in natural order, with names and URLs from the files', async () => {
    const { folder, storage, projectId, imported } = await openIntake()
    const shots = join(folder, 'shots')
    await mkdir(join(shots, 'shop', '.hidden'), { recursive: true })
    for (const name of [
      '10.png',
      '2.png',
      'shop/cart & more.PNG',
      'shop/.hidden/x.png',
      '.dot.png',
      'notes.txt',
    ]) {
      await writeFile(join(shots, name), await makePng(name.length, 10))
    }
    const from = (baseUrl?: string): Entry[] => [{ where: 'shots', parse: () => readFolder(shots, baseUrl) }]
    expect(await imported(from())).toMatchObject([{ outcome: 'added', jobs: 3 }])
    expect(await imported(from())).toMatchObject([{ outcome: 'present' }])
    const [root] = await contents(storage, projectId)
    expect(root?.jobs.map(({ name, url }) => [name, url])).toEqual([
      ['2', 'file:///2.png'],
      ['10', 'file:///10.png'],
      ['shop/cart & more', 'file:///shop/cart%20%26%20more.PNG'],
    ])
    expect(await imported(from('https://example.com/'))).toMatchObject([{ outcome: 'added' }])
    const all = await contents(storage, projectId)
    expect(all.flatMap((each) => each.jobs.map((job) => job.url))).toContain(
      'https://example.com/shop/cart%20%26%20more',
    )
  })

  test('with a broken picture adds nothing and names the picture', async () => {
    const { folder, storage, projectId, imported } = await openIntake()
    const shots = join(folder, 'shots')
    await mkdir(shots)
    await writeFile(join(shots, 'good.png'), await makePng())
    await writeFile(join(shots, 'bad.png'), 'no')
    expect(await imported([{ where: 'shots', parse: () => readFolder(shots, undefined) }])).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('bad.png') },
    ])
    expect(await contents(storage, projectId)).toEqual([])
  })

  test('without pictures is refused', async () => {
    const { folder, imported } = await openIntake()
    expect(await imported([{ where: 'x', parse: () => readFolder(folder, undefined) }])).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('contains no pictures') },
    ])
  })
})
