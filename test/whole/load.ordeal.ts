import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { RootResult } from '../../src/contract/results.ts'
import { openStorage } from '../../src/service/storage.ts'
import { memoryOf } from '../support/processes/memory.ts'
import { serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { PATIENCE_MS } from '../support/runner/patience.ts'
import { random } from '../support/runner/random.ts'
import { rounds } from '../support/runner/rounds.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld } from '../support/servers/worlds.ts'
import { makeProject, rootsUrl } from '../support/store/results.ts'
import { seedPostgresRows, seedRows } from '../support/store/seed.ts'

const MB = 1024 * 1024
const SLOW_READERS = 16
const SLOW_MS = 3_000
const GIVEN_UP = rounds(200)
const AT_ONCE = 50

const postgres = usePostgres()
const s3 = useS3()

/** On a connection of its own, which is closed afterwards: any connection that stays open is another one. */
async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  return response
}

async function readJson<T>(url: string): Promise<{ status: number; body: T }> {
  const response = await open(url)
  return { status: response.statusCode ?? 0, body: JSON.parse(await readText(response)) as T }
}

/** Reads an answer piece by piece, keeping nothing. */
async function readList(url: string) {
  const response = await open(url)
  const hash = createHash('sha256')
  const mark = '"screenshotParameter":'
  let jobs = 0
  let last = ''
  for await (const piece of response as AsyncIterable<Buffer>) {
    hash.update(piece)
    // An object that spans two pieces is counted with the second.
    last = last.slice(1 - mark.length) + piece.toString('latin1')
    jobs += last.split(mark).length - 1
  }
  return {
    status: response.statusCode,
    etag: response.headers.etag,
    jobs,
    end: last.slice(-1),
    hash: hash.digest('hex'),
  }
}

/** The metrics of the service. */
async function readFigures(url: string) {
  const response = await open(`${url}/metrics`)
  expect(response.statusCode).toBe(200)
  const text = await readText(response)
  const read = (name: string) => {
    const [, value] = new RegExp(`^proofsheet_${name} (\\S+)$`, 'm').exec(text) ?? []
    expect(value, name).toBeDefined()
    return Number(value)
  }
  return {
    memory: read('process_resident_memory_bytes'),
    files: read('process_open_fds'),
    handles: read('nodejs_active_handles_total'),
    requests: read('nodejs_active_requests_total'),
    resources: read('nodejs_active_resources_total'),
    lag: read('nodejs_eventloop_lag_mean_seconds'),
    heap: read('nodejs_heap_size_used_bytes'),
  }
}

type Figures = Awaited<ReturnType<typeof readFigures>>

function print(when: string, { memory, files, handles, requests, resources, lag }: Figures): void {
  process.stderr.write(
    `${when}: ${Math.round(memory / MB)} MB, ${files} files, ${handles} handles, ${requests} requests, ${resources} resources, event loop late by ${(lag * 1_000).toFixed(1)} ms\n`,
  )
}

/** Requests something and reads nothing of it. */
function knock(url: string, path: string): Socket {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  return socket
}

/** Reads a little from time to time, and never enough. */
async function sip(socket: Socket, until: number): Promise<number> {
  let bytes = 0
  await once(socket, 'readable')
  while (Date.now() < until && !socket.destroyed) {
    const piece = socket.read(Math.min(4_096, socket.readableLength)) as Buffer | null
    bytes += piece?.length ?? 0
    await sleep(50 + random() * 200)
  }
  return bytes
}

/** Requests a list and gives up: before the connection is open, before the first byte, or after some bytes. */
async function giveUp(url: string, path: string): Promise<void> {
  const socket = knock(url, path)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const kind = random()
  if (kind < 0.1) socket.destroy()
  else if (kind < 0.4) {
    await sleep(random() * 10)
    socket.destroy()
  } else {
    let enough = random() < 0.5 ? 1 : random() * MB
    socket.on('data', (piece) => {
      enough -= piece.length
      if (enough <= 0) socket.destroy()
    })
  }
  await closed
}

/** Runs some at a time. Returns the largest memory of the service meanwhile. */
async function giveUpMany({ url, pid }: { url: string; pid: number }, path: string, count: number) {
  let left = count
  let most = 0
  const impatient = async () => {
    while (left-- > 0) {
      await giveUp(url, path)
      if (left % 50 === 0) most = Math.max(most, memoryOf(pid).now)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, impatient))
  return most
}

describe('after many requests whose answers were never read', () => {
  test('memory, files and connections return to normal, and lists are complete', async () => {
    const dataDir = join(await makeFolder(), 'data')
    const projectId = await seedRows(dataDir, { roots: 3_000, jobsPerRoot: 10 })
    // Picture URLs change with the window; one that ends meanwhile would not be a fault.
    const service = await serveProcess({ DATA_DIR: dataDir, SIGNING_WINDOW: '84h' })
    const path = rootsUrl(projectId)
    const { body: page } = await readJson<RootResult[]>(`${service.url}${path}?limit=100`)
    const roots = page.map(({ rootId }) => rootId)
    let asked = 0
    const askForOne = async () => {
      const rootId = roots[asked++ % roots.length] ?? ''
      const { status, body } = await readJson<RootResult>(`${service.url}${path}/${rootId}`)
      expect([status, body.rootId, body.jobs.length]).toEqual([200, rootId, 10])
    }

    const whole = await readList(service.url + path)
    expect(whole).toMatchObject({ status: 200, jobs: 30_000, end: ']' })
    expect(await readList(service.url + path)).toEqual(whole)
    await askForOne()
    await sleep(1_000)
    await readFigures(service.url)
    await sleep(500)
    const before = await readFigures(service.url)
    print('before', before)

    // Slow readers; others are served meanwhile.
    const until = Date.now() + SLOW_MS
    const sockets = Array.from({ length: SLOW_READERS }, () => knock(service.url, path))
    const sips = sockets.map((socket) => sip(socket, until))
    let served = 0
    let most = 0
    while (Date.now() < until) {
      await askForOne()
      await sleep(10)
      served++
      if (served % 10 === 0) most = Math.max(most, memoryOf(service.pid).now)
    }
    const sipped = await Promise.all(sips)
    print('with slow readers', await readFigures(service.url))
    for (const socket of sockets) {
      expect(socket.destroyed).toBe(false)
      socket.destroy()
    }
    process.stderr.write(
      `${SLOW_READERS} slow readers read ${Math.round(sipped.reduce((sum, bytes) => sum + bytes, 0) / 1024)} KB: memory +${Math.round((most - before.memory) / MB)} MB at most, ${served} roots served meanwhile\n`,
    )
    expect(Math.min(...sipped)).toBeGreaterThan(0)
    expect(served).toBeGreaterThan(3)
    expect((most - before.memory) / MB).toBeLessThan(160)

    // Many clients that give up.
    most = await giveUpMany(service, path, GIVEN_UP / 2)
    process.stderr.write(
      `${GIVEN_UP / 2} lists given up: memory +${Math.round((most - before.memory) / MB)} MB at most\n`,
    )

    // Everything that remains of it goes away.
    const growth = ({ memory }: Figures) => (memory - before.memory) / MB
    const isBack = (now: Figures) =>
      now.files <= before.files + 2 &&
      now.handles <= before.handles + 2 &&
      now.requests <= before.requests + 2 &&
      now.resources <= before.resources + 2 &&
      growth(now) < 64
    const patience = Date.now() + PATIENCE_MS
    let after = await readFigures(service.url)
    print('right after', after)
    while (!isBack(after) && Date.now() < patience) {
      await sleep(500)
      await askForOne()
      after = await readFigures(service.url)
    }
    await sleep(500)
    print('afterwards', await readFigures(service.url))
    expect(after.files).toBeLessThanOrEqual(before.files + 2)
    expect(after.handles).toBeLessThanOrEqual(before.handles + 2)
    expect(after.requests).toBeLessThanOrEqual(before.requests + 2)
    expect(after.resources).toBeLessThanOrEqual(before.resources + 2)
    expect(growth(after)).toBeLessThan(64)

    await askForOne()
    const again = await readList(service.url + path)
    expect(again).toMatchObject({ status: 200, jobs: 30_000, end: ']' })
    // The ETag changes with the window alone.
    expect(again.hash === whole.hash).toBe(again.etag === whole.etag)
    expect(service.stderr()).toBe('')
  }, 300_000)
})

describe('abandoned lists', () => {
  test('leave no garbage that the collector could not free', async () => {
    const folder = await makeFolder()
    const dataDir = join(folder, 'data')
    const projectId = await seedRows(dataDir, { roots: 1_000, jobsPerRoot: 10 })
    const snapshots = join(folder, 'snapshots')
    await mkdir(snapshots)
    const service = await serveProcess({
      DATA_DIR: dataDir,
      NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`,
    })
    const path = rootsUrl(projectId)
    /** Memory in use: a snapshot collects everything else first. */
    const inUse = async () => {
      process.kill(service.pid, 'SIGUSR2')
      while ((await readdir(snapshots)).length === 0) await sleep(50)
      // The service does nothing else meanwhile, so its answer says that this is over.
      const { heap } = await readFigures(service.url)
      for (const name of await readdir(snapshots)) await rm(join(snapshots, name))
      return heap
    }
    await readList(service.url + path)
    await giveUpMany(service, path, GIVEN_UP / 2)
    // The first one has more to free than any other.
    await inUse()
    const before = await inUse()
    await giveUpMany(service, path, GIVEN_UP)
    const after = await inUse()
    process.stderr.write(
      `in use: ${(before / MB).toFixed(1)} MB, and after ${GIVEN_UP} lists given up ${(after / MB).toFixed(1)} MB\n`,
    )
    // If each had left only its first piece, it would be several times as much.
    expect((after - before) / MB).toBeLessThan(4)
  }, 300_000)
})

describe('six readers that pause', () => {
  test('each get the whole list, every time', async () => {
    const dataDir = join(await makeFolder(), 'data')
    const projectId = await seedRows(dataDir, { roots: 1_000, jobsPerRoot: 10 })
    // An answer that hangs is cut off, so that the test can report it.
    const service = await serveProcess({ DATA_DIR: dataDir, IDLE_TIMEOUT: '20s' })
    const url = service.url + rootsUrl(projectId)
    const wanted = (await (await fetch(url)).arrayBuffer()).byteLength
    const read = async () => {
      const response = await fetch(url)
      let bytes = 0
      let last = 0
      for await (const piece of response.body ?? []) {
        bytes += piece.length
        last = piece.at(-1) ?? 0
        if (random() < 0.5) await sleep(random() * 20)
      }
      return [response.status, bytes, String.fromCharCode(last)]
    }
    const readAgain = async () => {
      for (let turn = 0; turn < 5; turn++) expect(await read()).toEqual([200, wanted, ']'])
    }
    await Promise.all(Array.from({ length: 6 }, readAgain))
  }, 300_000)
})

describe('a large list from PostgreSQL', () => {
  test('does not increase the heap of the service for good', async () => {
    const world = await newWorld(postgres, s3)
    const { store, close } = await openStorage(readConfig({ PORT: '0', ...world }))
    const projectId = await makeProject(store)
    await close()
    await seedPostgresRows(world.DATABASE_URL, projectId, { roots: 10_000, jobsPerRoot: 10 })
    const service = await serveProcess(world)
    await readJson(`${service.url}/readyz`)
    const idle = memoryOf(service.pid).now
    expect(await readList(service.url + rootsUrl(projectId))).toMatchObject({
      status: 200,
      jobs: 100_000,
      end: ']',
    })
    const above = Math.round((memoryOf(service.pid).peak - idle) / MB)
    process.stderr.write(`list of 100,000 jobs from PostgreSQL: memory +${above} MB\n`)
    // Some 65 MB above a service that has just started; 144 if V8's young generation may grow.
    expect(above).toBeLessThan(100)
  }, 300_000)
})
