import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { startService } from '../support/http/service.ts'
import { memoryOf } from '../support/processes/memory.ts'
import { serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { addRows, makeProject, newJob, rootsUrl } from '../support/store/results.ts'
import { seedRows } from '../support/store/seed.ts'

const MB = 1024 * 1024

/** Reads an answer piece by piece, as a client that keeps nothing. */
async function drain(url: string) {
  const response = await fetch(url)
  const hash = createHash('sha256')
  let bytes = 0
  let jobs = 0
  let last = ''
  for await (const piece of response.body ?? []) {
    const text = Buffer.from(piece).toString('latin1')
    hash.update(piece)
    bytes += piece.length
    jobs += (last.slice(-7) + text).split('"data":"').length - 1
    last = text
  }
  return { status: response.status, bytes, jobs, end: last.slice(-1), hash: hash.digest('hex') }
}

describe('the list of a large project', () => {
  test.each([
    [2_500, 10],
    [10, 2_500],
  ])(
    '25,000 jobs in %i roots of %i, 70 MB: complete, within 64 MB above idle, and others are served meanwhile',
    async (roots, jobsPerRoot) => {
      const dataDir = join(await makeFolder(), 'data')
      const variant = 'x'.repeat(2_300)
      const projectId = await seedRows(dataDir, { roots, jobsPerRoot, variant })
      const service = await serveProcess({ DATA_DIR: dataDir })
      await (await fetch(`${service.url}/readyz`)).text()
      const idle = memoryOf(service.pid).now

      let served = 0
      let reading = true
      const others = (async () => {
        while (reading) {
          const response = await fetch(`${service.url}/readyz`)
          expect(response.status).toBe(200)
          await response.arrayBuffer()
          served++
        }
      })()
      const list = await drain(service.url + rootsUrl(projectId))
      reading = false
      await others
      const { peak } = memoryOf(service.pid)

      expect(list).toMatchObject({ status: 200, jobs: 25_000, end: ']' })
      expect(list.bytes).toBeGreaterThan(70 * MB)
      expect((peak - idle) / MB).toBeLessThan(64)
      // There would be one at most if the answer were made in one go.
      expect(served).toBeGreaterThan(1)
      process.stderr.write(
        `list of ${roots} × ${jobsPerRoot} jobs: ${Math.round(list.bytes / MB)} MB, memory +${Math.round((peak - idle) / MB)} MB, ${served} other requests meanwhile\n`,
      )
    },
  )

  test('a large root is read once; later answers and lists send the same bytes', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const rootId = await addRows(service.store, projectId, { jobs: 250 })
    const { findPositions, pageTexts } = service.store
    const read: unknown[] = []
    service.store.findPositions = async (...args) => {
      read.push('positions')
      return await findPositions(...args)
    }
    service.store.pageTexts = async (...args) => {
      read.push(args[2].from)
      return await pageTexts(...args)
    }
    const ask = async (url: string) => await (await fetch(service.url + url)).text()
    const root = await ask(`${rootsUrl(projectId)}/${rootId}`)
    expect(JSON.parse(root).jobs).toHaveLength(250)
    expect(read).toEqual(['positions', 0, 100, 200])
    expect(await ask(`${rootsUrl(projectId)}/${rootId}`)).toBe(root)
    expect(await ask(rootsUrl(projectId))).toBe(`[${root}]`)
    expect(read).toEqual(['positions', 0, 100, 200])
  })

  test('slow readers hold neither memory nor the write-ahead log', async () => {
    const dataDir = join(await makeFolder(), 'data')
    const projectId = await seedRows(dataDir, { roots: 1_250, jobsPerRoot: 10, variant: 'x'.repeat(2_300) })
    const service = await serveProcess({ DATA_DIR: dataDir })
    await drain(`${service.url}${rootsUrl(projectId)}`)
    const before = memoryOf(service.pid).now
    const sockets = Array.from({ length: 16 }, () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket.write(`GET ${rootsUrl(projectId)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      socket.once('readable', () => socket.read(10))
      return socket
    })
    await sleep(1_500)
    // Sixteen lists of 40 MB each; the allowance is for garbage, not for the lists.
    expect((memoryOf(service.pid).now - before) / MB).toBeLessThan(160)
    // No read transaction is open, so a writer's checkpoint can reset the log.
    const writer = new DatabaseSync(join(dataDir, 'proofsheet.db'), { timeout: 2_000 })
    writer.exec(`update projects set name = 'x'`)
    expect(writer.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 })
    writer.close()
    for (const socket of sockets) socket.destroy()
  })

  test('an abandoned answer is not prepared any further', async () => {
    const service = await startService({ CACHE_BYTES: '0' })
    const projectId = await makeProject(service.store)
    for (let index = 0; index < 30; index++)
      await addRows(service.store, projectId, { created: index, jobs: 500 })
    let reads = 0
    const { pageTexts } = service.store
    service.store.pageTexts = async (...args) => {
      reads++
      return await pageTexts(...args)
    }
    for (let index = 0; index < 20; index++) {
      const request = get(service.url + rootsUrl(projectId))
      const [response] = await once(request, 'response')
      response.pause()
      request.destroy()
    }
    while (service.logLines.filter((line) => line.includes('"aborted":true')).length < 20) await sleep(10)
    // Reads under way when the last client left may still finish.
    for (let before = -1; before !== reads; ) {
      before = reads
      await sleep(300)
    }
    // A whole list takes 5 reads for each root; an abandoned one must not come near it.
    expect(reads).toBeLessThan((20 * 30 * 5) / 2)
    expect(service.logLines.join('')).not.toMatch(/"level":(50|60)/)
  })
})

describe('a large root', () => {
  test('is complete, alone and in the list', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const jobs = Array.from({ length: 1_234 }, (_, index) => newJob({ name: String(index) }))
    const root = { projectId, rootId: '00000000-0000-4000-8000-000000000001', created: 5, digest: 'd', jobs }
    await service.store.addRoot(root, async () => {})
    await addRows(service.store, projectId, { created: 9, jobs: 3 })
    await addRows(service.store, projectId, { created: 1, jobs: 0 })
    const list = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
    expect(list.map((each) => each.jobs.length)).toEqual([3, 1_234, 0])
    expect(list[1]?.jobs.map((job) => job.url.name)).toEqual(jobs.map((job) => job.name))
    expect(await (await service.get(`${rootsUrl(projectId)}/${root.rootId}`)).json()).toEqual(list[1])
  })
})

describe('a root that ends at the end of a piece', () => {
  test.each([100, 101, 199, 200, 201, 400, 1_000])(
    '%i jobs are valid JSON, alone and in the list',
    async (count) => {
      const service = await startService()
      const projectId = await makeProject(service.store)
      const rootId = await addRows(service.store, projectId, { created: 5, jobs: count })
      await addRows(service.store, projectId, { created: 1, jobs: 1 })
      const one = (await (await service.get(`${rootsUrl(projectId)}/${rootId}`)).json()) as RootResult
      expect(one.jobs).toHaveLength(count)
      const list = (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
      expect(list.map(({ jobs }) => jobs.length)).toEqual([count, 1])
    },
  )
})

describe('an error', () => {
  test('after the first byte breaks the connection, so that the answer does not parse', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    for (let index = 0; index < 40; index++)
      await addRows(service.store, projectId, { created: index, jobs: 100 })
    const response = await service.get(rootsUrl(projectId))
    expect(response.status).toBe(200)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await service.store.close()
    const rest = (async () => {
      while (!(await reader.read()).done);
    })()
    await expect(rest).rejects.toThrow()
  })

  test('before the first byte is an ordinary 503', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await service.store.close()
    expect((await service.get(rootsUrl(projectId))).status).toBe(503)
  })
})

describe('an answer that is never read to its end', () => {
  test('is cut off after RESPONSE_TIMEOUT, however steadily it is read', async () => {
    const service = await startService({ RESPONSE_TIMEOUT: '1s' })
    const projectId = await makeProject(service.store)
    await service.store.addRoot(
      {
        projectId,
        rootId: projectId,
        created: 1,
        digest: 'd',
        jobs: Array.from({ length: 8_000 }, () => newJob()),
      },
      async () => {},
    )
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write(`GET ${rootsUrl(projectId)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const broken = new Promise((resolve) => socket.once('error', resolve).once('close', resolve))
    const sip = setInterval(() => socket.read(1_000), 20)
    while (!service.logLines.some((line) => line.includes('the answer was not read in time'))) await sleep(50)
    clearInterval(sip)
    socket.resume()
    await broken
  })
})
