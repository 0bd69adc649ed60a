import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { readZip } from '../support/http/read-zip.ts'
import { FAILED, finishNext, startAccepting } from '../support/http/requests.ts'
import { startService, type TestService } from '../support/http/service.ts'
import { memoryOf } from '../support/processes/memory.ts'
import { serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { bothWorlds, newWorld } from '../support/servers/worlds.ts'
import {
  addPictures,
  addRows,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'
import { seedRows } from '../support/store/seed.ts'

const MB = 1024 * 1024
const postgres = usePostgres()
const s3 = useS3()

const archiveUrl = (projectId: string, rootId: string) => `${rootsUrl(projectId)}/${rootId}/pictures.zip`

/** Incompressible: about three bytes for each pixel. */
async function makeNoise(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const
  return await sharp(randomBytes(width * height * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

async function serviceWithRoot(names: readonly string[], env: Record<string, string> = {}) {
  const service = await startService(env)
  const projectId = await makeProject(service.store)
  const pngs = await Promise.all(names.map((_, index) => makePng(20 + index, 10)))
  const jobs = names.map((name, index) =>
    submittedJob(pngs[index] as Buffer, { name, created: 1_700_000_001_000 }),
  )
  const { rootId } = await addPictures(service, projectId, { jobs })
  return { service, projectId, rootId, pngs, path: archiveUrl(projectId, rootId) }
}

async function read(service: TestService, path: string) {
  const response = await service.get(path)
  expect(response.status).toBe(200)
  return readZip([Buffer.from(await response.arrayBuffer())])
}

/** The path of a picture among the files of the service. */
async function fileOf(
  service: TestService,
  projectId: string,
  rootId: string,
  index: number,
): Promise<string> {
  const job = (await service.store.jobsOf(projectId, [rootId]))[index]
  return join(service.dataDir, 'images', projectId, `${job?.uuid}.png`)
}

describe.each(bothWorlds(postgres, s3))('an archive of the pictures of a root (%s)', (_, world) => {
  test('has all pictures, in order, under their names', async () => {
    const names = ['Home', 'Über uns', '../etc/passwd', '', 'Home']
    const { service, rootId, pngs, path } = await serviceWithRoot(names, await world())
    const response = await service.get(path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${rootId}.zip"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^W\/"[^"]+"$/),
    })
    const entries = readZip([Buffer.from(await response.arrayBuffer())])
    expect(entries.map(({ name }) => name)).toEqual([
      '001-Home.png',
      '002-Über-uns.png',
      '003-etc-passwd.png',
      '004-page.png',
      '005-Home.png',
    ])
    expect(entries.map((entry) => entry.bytes())).toEqual(pngs)
    expect(entries.map(({ modified }) => modified)).toEqual(names.map(() => 1_700_000_001_000))
  })

  test('has pictures that are too large to be held in memory, too', async () => {
    const service = await startService(await world())
    const projectId = await makeProject(service.store)
    const pngs = [await makePng(), await makeNoise(1_400, 1_100), await makePng(9, 9)]
    expect(pngs[1]?.length).toBeGreaterThan(4 * MB)
    const { rootId } = await addPictures(service, projectId, { jobs: pngs.map((png) => submittedJob(png)) })
    const entries = await read(service, archiveUrl(projectId, rootId))
    expect(entries.map((entry) => entry.bytes().equals(pngs.shift() ?? Buffer.of()))).toEqual([
      true,
      true,
      true,
    ])
  })
})

describe('an archive of the pictures of a root', () => {
  test('numbers pictures by their place in the request, whatever failed', async () => {
    const service = await startAccepting()
    const { projectId } = service
    const rootId = await service.accept(4)
    for (const outcome of [[], [FAILED], []]) await finishNext(service.store, rootId, ...outcome)
    const png = await makePng()
    await mkdir(join(service.dataDir, 'images', projectId), { recursive: true })
    for (const index of [0, 1]) await writeFile(await fileOf(service, projectId, rootId, index), png)
    const names = async () => (await read(service, archiveUrl(projectId, rootId))).map(({ name }) => name)
    expect(await names()).toEqual(['001-Page-0.png', '003-Page-2.png'])
    await finishNext(service.store, rootId)
    await writeFile(await fileOf(service, projectId, rootId, 2), png)
    expect(await names()).toEqual(['001-Page-0.png', '003-Page-2.png', '004-Page-3.png'])
  })

  test('is empty if the root has no pictures', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    expect(
      await read(service, archiveUrl(projectId, await addRows(service.store, projectId, { jobs: 0 }))),
    ).toEqual([])
  })

  test('answers HEAD like GET without a body, and 304 if nothing has changed', async () => {
    const { service, projectId, rootId, path } = await serviceWithRoot(['a'])
    const [archive, head] = [await service.get(path), await fetch(service.url + path, { method: 'HEAD' })]
    for (const name of ['etag', 'content-type', 'content-disposition', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, archive.headers.get(name)])
    }
    expect([head.status, await head.text()]).toEqual([200, ''])
    const etag = archive.headers.get('etag') ?? ''
    expect((await service.get(path, { 'if-none-match': etag })).status).toBe(304)
    const root = await service.get(`${rootsUrl(projectId)}/${rootId}`)
    expect((await service.get(path, { 'if-none-match': root.headers.get('etag') ?? '' })).status).toBe(200)
    const other = await fetch(service.url + path, { method: 'POST' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('is the same 404 for anything unknown, malformed or of another project', async () => {
    const { service, projectId, path } = await serviceWithRoot(['a'], { AUTH: 'keys' })
    const theirs = await makeProject(service.store)
    const foreign = await addRows(service.store, theirs)
    const { secret: authorization } = await makeKey(service.store, projectId)
    const ask = async (url: string) => {
      const response = await service.get(url, { authorization, 'if-none-match': '*' })
      return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
    }
    const nothing = await ask(archiveUrl(projectId, randomUUID()))
    expect(nothing[0]).toBe(404)
    for (const url of [
      archiveUrl(projectId, foreign),
      archiveUrl(theirs, foreign),
      archiveUrl(projectId, 'x'),
      archiveUrl('x', 'x'),
    ]) {
      expect([url, await ask(url)]).toEqual([url, nothing])
    }
    expect((await ask(path))[0]).toBe(304)
    expect((await service.get(path)).status).toBe(401)
  })

  test('with a picture that is missing before the first byte is a 503, and not a download', async () => {
    const { service, projectId, rootId, path } = await serviceWithRoot(['a', 'b'])
    await rm(await fileOf(service, projectId, rootId, 0))
    const response = await service.get(path)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'storage_failed' }])
    for (const name of ['content-disposition', 'etag'])
      expect([name, response.headers.get(name)]).toEqual([name, null])
  })

  test('with a picture that is missing after the first byte breaks the connection', async () => {
    const { service, projectId, rootId, path } = await serviceWithRoot(Array.from({ length: 20 }, () => 'a'))
    await rm(await fileOf(service, projectId, rootId, 19))
    const response = await service.get(path)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
    expect((await service.get('/healthz')).status).toBe(200)
  })

  test('from a bucket that breaks off breaks the connection', async () => {
    const world = await newWorld(postgres, s3)
    const { service, path } = await serviceWithRoot(
      Array.from({ length: 20 }, () => 'a'),
      world,
    )
    let reads = 0
    s3.interfere = (request, response) => {
      if (request.method !== 'GET' || ++reads < 12) return false
      response.writeHead(200, {
        'content-length': 1_000,
        etag: '"x"',
        'last-modified': new Date(0).toUTCString(),
      })
      response.write('PNG')
      setTimeout(() => response.destroy(), 10)
      return true
    }
    try {
      const response = await service.get(path)
      expect(response.status).toBe(200)
      await expect(response.arrayBuffer()).rejects.toThrow()
    } finally {
      s3.interfere = undefined
    }
  })

  test('opens no more pictures after its client has gone', async () => {
    const { service, path } = await serviceWithRoot(['a'])
    const projectId = await seedPictures(service.dataDir, 500, await makeNoise(300, 200), service)
    const [root] = await service.store.pageRoots(projectId, { limit: 1 })
    let opened = 0
    const { open } = service.images
    service.images.open = async (key) => {
      opened++
      return await open(key)
    }
    const request = get(service.url + archiveUrl(projectId, root?.rootId ?? ''))
    const [response] = await once(request, 'response')
    response.pause()
    await sleep(200)
    // As many as the buffers at both ends of a connection hold, and no more.
    expect(opened).toBeLessThan(100)
    request.destroy()
    while (!service.logLines.some((line) => line.includes('"aborted":true'))) await sleep(10)
    const after = opened
    await sleep(200)
    expect(opened).toBe(after)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
    expect(await read(service, path)).toHaveLength(1)
  })

  test('is cut off after RESPONSE_TIMEOUT, like every answer', async () => {
    const { service } = await serviceWithRoot(['a'], { RESPONSE_TIMEOUT: '1s' })
    const projectId = await seedPictures(service.dataDir, 500, await makeNoise(300, 200), service)
    const [root] = await service.store.pageRoots(projectId, { limit: 1 })
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write(`GET ${archiveUrl(projectId, root?.rootId ?? '')} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const broken = new Promise((resolve) => socket.once('error', resolve).once('close', resolve))
    const sip = setInterval(() => socket.read(1_000), 20)
    while (!service.logLines.some((line) => line.includes('the answer was not read in time'))) await sleep(50)
    clearInterval(sip)
    socket.resume()
    await broken
  })

  test('of 2,500 pictures is whole and needs less than 64 MB of memory, even for a slow reader', async () => {
    const dataDir = join(await makeFolder(), 'data')
    const png = await makeNoise(100, 80)
    const projectId = await seedPictures(dataDir, 2_500, png)
    const service = await serveProcess({ DATA_DIR: dataDir })
    const list = (await (await fetch(`${service.url}${rootsUrl(projectId)}?limit=1`)).json()) as {
      rootId: string
    }[]
    const url = service.url + archiveUrl(projectId, list[0]?.rootId ?? '')
    const idle = memoryOf(service.pid).now
    const slow = get(url)
    const [paused] = await once(slow, 'response')
    paused.pause()
    const chunks: Uint8Array[] = []
    const begun = performance.now()
    for await (const chunk of (await fetch(url)).body ?? []) chunks.push(chunk)
    const seconds = (performance.now() - begun) / 1000
    const { peak } = memoryOf(service.pid)
    slow.destroy()
    const archive = Buffer.concat(chunks)
    process.stderr.write(
      `archive of 2,500 pictures: ${Math.round(archive.length / MB)} MB in ${seconds.toFixed(1)} s, memory +${Math.round((peak - idle) / MB)} MB\n`,
    )
    const entries = readZip([archive])
    expect([entries.length, entries[0]?.name, entries.at(-1)?.name]).toEqual([
      2_500,
      '0001-Page-0.0.png',
      '2500-Page-0.2499.png',
    ])
    expect(entries.every((entry) => entry.bytes().equals(png))).toBe(true)
    expect((peak - idle) / MB).toBeLessThan(64)
  })
})

test('that is read very slowly, many times over, does not fill the memory, and leaves no file open', async () => {
  const dataDir = join(await makeFolder(), 'data')
  const projectId = await seedPictures(dataDir, 20, await makeNoise(1_200, 1_000))
  const service = await serveProcess({ DATA_DIR: dataDir })
  const list = await fetch(`${service.url}${rootsUrl(projectId)}?limit=1`)
  const [root] = (await list.json()) as { rootId: string }[]
  const url = service.url + archiveUrl(projectId, root?.rootId ?? '')
  const [idle, files] = [memoryOf(service.pid).now, await countFiles(service.pid)]
  const slow = Array.from({ length: 60 }, () => get(url, { agent: false }))
  const responses = await Promise.all(slow.map((request) => once(request, 'response')))
  for (const [response] of responses) response.pause()
  await sleep(1_000)
  const { peak } = memoryOf(service.pid)
  for (const request of slow) request.destroy()
  expect((peak - idle) / MB).toBeLessThan(300)
  await expect.poll(() => countFiles(service.pid)).toBeLessThan(files + 5)
  // Later archives find room again.
  const archive = Buffer.from(await (await fetch(url)).arrayBuffer())
  expect(readZip([archive]).map((entry) => entry.bytes().length)).toHaveLength(20)
})

test('reads at most four pictures at a time for one client, however many archives it requests', async () => {
  const { service } = await serviceWithRoot([])
  const projectId = await seedPictures(service.dataDir, 30, await makePng(), service)
  const [root] = await service.store.pageRoots(projectId, { limit: 1 })
  const { open } = service.images
  let [reading, most] = [0, 0]
  service.images.open = async (key) => {
    most = Math.max(most, ++reading)
    const image = await open(key)
    await sleep(5)
    reading--
    return image
  }
  const archives = Array.from({ length: 8 }, () => read(service, archiveUrl(projectId, root?.rootId ?? '')))
  for (const entries of await Promise.all(archives)) expect(entries).toHaveLength(30)
  expect(most).toBe(4)
})

async function countFiles(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}

/** A project of one large root whose pictures are all links to the same file. Returns the project. */
async function seedPictures(
  dataDir: string,
  jobs: number,
  png: Buffer,
  service?: TestService,
): Promise<string> {
  const projectId = await seedRows(dataDir, { roots: 1, jobsPerRoot: jobs })
  const store = service?.store ?? (await openSqliteStore(join(dataDir, 'proofsheet.db')))
  const [root] = await store.pageRoots(projectId, { limit: 1 })
  const folder = join(dataDir, 'images', projectId)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'one'), png)
  for (const { uuid } of await store.jobsOf(projectId, [root?.rootId ?? ''])) {
    await link(join(folder, 'one'), join(folder, `${uuid}.png`))
  }
  if (!service) await store.close()
  return projectId
}
