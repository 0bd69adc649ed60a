// @module-tag browser

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, coloursAt, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { freePort } from '../support/servers/ports.ts'

/** Its title is longer than the limit, and no database can store all of it. */
const ENDLESS = `<body style="margin:0"><div style="height:200000px">
  <script>document.title = 'A\\ud800' + 'x'.repeat(600)</script>`

async function makeProject(env: Record<string, string>): Promise<string> {
  const id = randomUUID()
  await runProofsheet(['project', 'create', '--id', id], env)
  return id
}

async function fetchBytes(address: string): Promise<Buffer> {
  const response = await fetch(address)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

test('a request becomes a result with a picture of the page', async () => {
  const site = await servePages((_path, response) => response.end(COLOURED))
  const env = { DATA_DIR: join(await makeFolder(), 'data'), CAPTURE_ALLOW: `127.0.0.1:${site.port}` }
  const projectId = await makeProject(env)
  const service = await serveProcess(env)
  const client = askFor(service.url, projectId)
  const rootId = await client.post([{ url: `${site.url}/`, name: 'Home' }], { tags: ['first'] })
  expect(await client.root(rootId)).toMatchObject({ rootId, jobs: [] })
  expect(await client.finished(rootId)).toMatchObject({
    state: 'done',
    tags: ['first'],
    urls: [
      {
        ...{ state: 'done', attempts: 1, uuid: expect.any(String) },
        seen: { status: 200, url: `${site.url}/`, failedResources: 0, marks: [] },
      },
    ],
  })
  const { jobs } = await client.root(rootId)
  expect(jobs).toHaveLength(1)
  const [job] = jobs
  expect(job).toMatchObject({
    url: { url: `${site.url}/`, name: 'Home', loadingTime: 15_000 },
    screenshotParameter: { width: 1200, height: 720, name: job?.uuid },
  })
  const picture = await fetchBytes(job?.data ?? '')
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 1200, height: 720 })
  expect(await coloursAt(picture, [50, 50], [300, 600], [1100, 100], [700, 400], [1199, 719])).toEqual([
    '#00aa00',
    '#ff8800',
    '#ff8800',
    '#0000ff',
    '#0000ff',
  ])
  expect(await sharp(await fetchBytes(job?.preview ?? '')).metadata()).toMatchObject({
    format: 'png',
    width: 400,
    height: 240,
  })
})

test('of twelve pages, the failed ones have a reason, and the others a result', async () => {
  const site = await servePages((path, response) => {
    if (path === '/never') return
    response.end(path === '/endless' ? ENDLESS : COLOURED)
  })
  const closed = await freePort()
  const env = {
    ...BROWSER_ENV,
    DATA_DIR: join(await makeFolder(), 'data'),
    CAPTURE_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${closed}`,
  }
  const projectId = await makeProject(env)
  const service = await serveProcess(env)
  const client = askFor(service.url, projectId)
  const good = Array.from({ length: 7 }, (_, index) => `${site.url}/${index}`)
  const bad = {
    'http://no-such-host.invalid/': 'dns',
    [`http://127.0.0.1:${closed}/`]: 'refused',
    [`${site.url}/never`]: 'timeout',
    'http://10.0.0.1/': 'blocked',
  }
  const urls = [...good, ...Object.keys(bad), `${site.url}/endless`]
  const rootId = await client.post(
    urls.map((url) => ({ url, name: url, loadingTime: 5_000 })),
    { fullPage: true },
  )
  const status = await client.finished(rootId)
  expect(status).toMatchObject({ state: 'partial', counts: { total: 12, done: 8, failed: 4 } })
  const reasons = status.urls
    .filter(({ state }) => state === 'failed')
    .map(({ url, reason }) => [url, reason])
  expect(Object.fromEntries(reasons)).toEqual(bad)
  for (const { detail } of status.urls.filter(({ state }) => state === 'failed'))
    expect(detail).toMatch(/\w+ \w+/)
  const seen = { marks: ['cut'], title: `A\ufffd${'x'.repeat(498)}` }
  expect(status.urls.at(-1)).toMatchObject({ state: 'done', cut: true, seen })
  const { jobs } = await client.root(rootId)
  expect(jobs.map(({ url }) => url.url)).toEqual([...good, `${site.url}/endless`])
  expect(jobs.at(-1)?.screenshotParameter).toMatchObject({ width: 1200, height: 16_384 })
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  for (const line of ['outcome="done"} 8', 'outcome="dns"} 1', 'outcome="timeout"} 1']) {
    expect(metrics).toContain(`proofsheet_captures_total{${line}`)
  }
  await Promise.all(jobs.flatMap(({ data, preview }) => [fetchBytes(data), fetchBytes(preview)]))
})

test('a request is accepted, and its root can be read, while the browser hangs at its start', async () => {
  const folder = await makeFolder()
  const path = join(folder, 'browser')
  // The hanging browser ends with the service.
  const hang = `#!/bin/sh\ntouch ${folder}/started\nwhile kill -0 $PPID 2>/dev/null; do sleep 0.1; done\n`
  await writeFile(path, hang, { mode: 0o755 })
  const env = { DATA_DIR: join(folder, 'data'), CHROMIUM_PATH: path }
  const projectId = await makeProject(env)
  const service = await serveProcess(env)
  const client = askFor(service.url, projectId)
  const pages = [{ url: 'http://example.com/', name: 'x' }]
  const rootId = await client.post(pages)
  expect(await client.root(rootId)).toMatchObject({ rootId, jobs: [] })
  await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 60_000 }).toBe(true)
  const second = await client.post(pages)
  expect(await client.root(second)).toMatchObject({ rootId: second, jobs: [] })
})

test('without a browser everything is served, and a request is refused with what to install', async () => {
  const env = { DATA_DIR: join(await makeFolder(), 'data'), CHROMIUM_PATH: '/bin/false' }
  const projectId = await makeProject(env)
  const service = await serveProcess(env)
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  const ask = () => askFor(service.url, projectId).post([{ url: 'http://example.com/', name: 'x' }])
  // Requests are accepted until the service knows that the browser does not start.
  const accepted = await ask()
  await expect
    .poll(() => ask().catch((error) => error), { timeout: 60_000 })
    .toMatchObject({
      ...{ status: 503, code: 'no_browser' },
      detail: expect.stringMatching(/^The browser does not start\. .*npx proofsheet browser/),
    })
  const roots = await fetch(`${service.url}/api/projects/${projectId}/screenshots/root`)
  expect(await roots.json()).toContainEqual(expect.objectContaining({ rootId: accepted, jobs: [] }))
})
