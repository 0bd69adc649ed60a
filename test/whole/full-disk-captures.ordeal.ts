// @module-tag browser

import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeSmallDisk, NO_MOUNT, takeInodes } from '../support/processes/small-disk.ts'

test('on a full disk, captures wait and say why, and so does one whose picture does not fit yet', async (context) => {
  const disk = (await makeSmallDisk()) ?? context.skip(NO_MOUNT)
  /** Fills the disk except for this much. */
  const leave = async (bytes: number) => {
    await rm(join(disk, 'ballast'), { force: true })
    const { bavail, bsize } = await statfs(disk)
    await writeFile(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - bytes))
  }
  const side = 700
  const noise = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer()
  const site = await servePages((path, response) => {
    if (path === '/noise.png') response.setHeader('content-type', 'image/png').end(noise)
    else response.end(path === '/noise' ? '<body style="margin:0"><img src="/noise.png">' : COLOURED)
  })
  const { client, ready, service } = await serve(disk, site.port)
  expect(await ready()).toMatchObject({ status: 200 })
  await leave(200_000)
  // A page that is taken before the service has looked at its disk again is captured, and its picture waits to be stored.
  await expect.poll(ready).toMatchObject({ status: 503, code: 'storage_full' })
  const rootId = await client.post([{ url: `${site.url}/`, name: 'Home' }])
  // Twice the interval between two looks for the next page.
  expect(await client.status(rootId, 2)).toMatchObject({
    state: 'queued',
    waiting: { reason: 'storage_full' },
    urls: [{ attempts: 0 }],
  })
  // There is room, but less than the picture needs.
  await leave(900_000)
  expect(await client.finished(rootId)).toMatchObject({ state: 'done', urls: [{ attempts: 1 }] })
  expect(await ready()).toMatchObject({ status: 200 })
  const large = await client.post([{ url: `${site.url}/noise`, name: 'Noise' }], {
    width: side,
    height: side,
  })
  await expect.poll(() => service.stderr()).toMatch(/a capture is tried again/)
  expect(await client.status(large)).toMatchObject({ state: 'queued', urls: [{ attempts: 0 }] })
  await leave(3_000_000)
  expect(await client.finished(large)).toMatchObject({ state: 'done', urls: [{ attempts: 1 }] })
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

test('without free inodes, captures wait and say why, even one under way', async (context) => {
  const disk = (await makeSmallDisk(16, 200)) ?? context.skip(NO_MOUNT)
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const site = await servePages(async (path, response) => {
    if (path === '/slow') {
      asked.resolve()
      await answered.promise
    }
    response.end(COLOURED)
  })
  const { client, ready, service } = await serve(disk, site.port)
  const slow = await client.post([{ url: `${site.url}/slow`, name: 'Slow', loadingTime: 30_000 }])
  await asked.promise
  const giveBack = await takeInodes(disk)
  answered.resolve()
  // The files of the database already exist.
  const next = await client.post([{ url: `${site.url}/`, name: 'Home' }])
  await expect.poll(ready).toMatchObject({
    status: 503,
    code: 'storage_full',
    detail: expect.stringMatching(/no inodes left/),
  })
  for (const rootId of [slow, next]) {
    await expect
      .poll(() => client.status(rootId))
      .toMatchObject({ state: 'queued', waiting: { reason: 'storage_full' }, urls: [{ attempts: 0 }] })
  }
  expect(service.stderr()).toMatch(/"reason":"storage_full".*something cannot be written; captures wait/)
  await giveBack()
  for (const rootId of [slow, next])
    expect(await client.finished(rootId)).toMatchObject({ state: 'done', urls: [{ attempts: 1 }] })
  expect(await ready()).toMatchObject({ status: 200 })
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})

async function serve(disk: string, port: number) {
  const env = { ...BROWSER_ENV, DATA_DIR: join(disk, 'data'), CAPTURE_ALLOW: `127.0.0.1:${port}` }
  const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
  const service = await serveProcess(env)
  return {
    service,
    client: askFor(service.url, projectId),
    async ready() {
      const answer = await fetch(`${service.url}/readyz`)
      return { ...((await answer.json()) as object), status: answer.status }
    },
  }
}
