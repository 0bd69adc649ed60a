// @module-tag browser

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootPath } from '../../src/contract/paths.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { startService } from '../support/http/service.ts'
import { proofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { until } from '../support/runner/until.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld } from '../support/servers/worlds.ts'

const postgres = usePostgres()
const s3 = useS3()

/** Slow enough to be killed during a capture. */
const slowPages = () =>
  servePages((_path, response) => {
    setTimeout(() => response.end(COLOURED), 300)
  })

const pagesOf = (url: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ url: `${url}/${index}`, name: `Page ${index}` }))

test('after SIGKILL during captures and a restart, all captures finish once', async () => {
  const site = await slowPages()
  const env = {
    ...BROWSER_ENV,
    DATA_DIR: join(await makeFolder(), 'data'),
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    CAPTURE_CONCURRENCY: '2',
  }
  const projectId = randomUUID()
  await proofsheet(['project', 'create', '--id', projectId], env).ended
  const first = await serveProcess(env)
  const rootId = await askFor(first.url, projectId).post(pagesOf(site.url, 7))
  await until(async () => {
    const { counts } = await askFor(first.url, projectId).status(rootId)
    return counts.done >= 2 && counts.running > 0
  })
  process.kill(first.pid, 'SIGKILL')
  await first.ended

  const second = await serveProcess(env)
  const client = askFor(second.url, projectId)
  const before = await client.status(rootId)
  expect(before.counts.done).toBeGreaterThanOrEqual(2)
  expect(before.counts.done).toBeLessThan(7)
  const status = await client.finished(rootId)
  expect(status).toMatchObject({ state: 'done', counts: { total: 7, done: 7 } })
  const { jobs } = await client.root(rootId)
  expect(jobs.map(({ url }) => url.url)).toEqual(pagesOf(site.url, 7).map(({ url }) => url))
  expect(new Set(jobs.map(({ uuid }) => uuid)).size).toBe(7)
  // Results from before the kill are unchanged. Captures that had begun begin again, and the pages do not count as failed.
  expect(jobs.map(({ uuid }) => uuid)).toEqual(
    expect.arrayContaining(before.urls.flatMap(({ uuid }) => (uuid ? [uuid] : []))),
  )
  expect(status.urls.map(({ attempts }) => attempts)).toEqual(status.urls.map(() => 1))
  for (const { data } of jobs) expect((await fetch(data)).status).toBe(200)
}, 300_000)

test('two workers, one killed, one frozen past its lease and woken, give every result once', async () => {
  // No page is answered before one worker is dead and the other frozen: each has two captures under way then.
  const held: ServerResponse[] = []
  let isOpen = false
  const site = await servePages((_path, response) => {
    if (isOpen) response.end(COLOURED)
    else held.push(response)
  })
  const world = await newWorld(postgres, s3)
  const service = await startService({ ...world, CAPTURE_CONCURRENCY: '0' })
  const projectId = randomUUID()
  await service.store.createProject({ projectId, name: 'x', created: 1 })
  const env = {
    ...BROWSER_ENV,
    ...world,
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    CAPTURE_CONCURRENCY: '2',
    LOG_LEVEL: 'info',
  }
  const startWorker = async () => {
    const worker = proofsheet(['work'], env)
    await worker.waitFor(/Capturing, 2 pages at a time/)
    return worker
  }
  const [killed, frozen] = await Promise.all([startWorker(), startWorker()])
  const client = askFor(service.url, projectId)
  const rootId = await client.post(pagesOf(site.url, 8))
  await until(async () => held.length === 4)
  process.kill(killed.pid, 'SIGKILL')
  process.kill(frozen.pid, 'SIGSTOP')
  isOpen = true
  for (const response of held) response.end(COLOURED)
  const third = await startWorker()
  expect(await client.finished(rootId)).toMatchObject({ state: 'done', counts: { done: 8 } })

  const read = async () => {
    const response = await service.get(rootPath(projectId, rootId))
    return { etag: response.headers.get('etag'), body: await response.text() }
  }
  const before = await read()
  process.kill(frozen.pid, 'SIGCONT')
  // The woken worker finds that another one has taken over both of its pages.
  await until(() => (frozen.stderr().match(/"late":true|has taken over a capture/g)?.length ?? 0) >= 2)
  expect(await read()).toEqual(before)
  const { jobs } = await client.root(rootId)
  expect(jobs.map(({ url }) => url.url)).toEqual(pagesOf(site.url, 8).map(({ url }) => url))
  expect(new Set(jobs.map(({ uuid }) => uuid)).size).toBe(8)
  for (const worker of [frozen, third]) {
    process.kill(worker.pid, 'SIGTERM')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
  }
}, 300_000)
