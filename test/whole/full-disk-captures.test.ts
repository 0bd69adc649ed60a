// @module-tag browser

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { mountSmall } from '../support/processes/small-disk.ts'
import { makeFolder } from '../support/processes/workspace.ts'

test('on a full disk captures wait and say why, and a picture that can never fit fails', async (context) => {
  const disk = await makeFolder()
  if (!mountSmall(disk)) context.skip('this user may not mount a small file system')
  /** All but so much is taken. */
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
  try {
    const env = { ...BROWSER_ENV, DATA_DIR: join(disk, 'data'), CAPTURE_ALLOW: `127.0.0.1:${site.port}` }
    const projectId = (await runProofsheet(['project', 'create'], env)).stdout.trim()
    const service = await serveProcess(env)
    const client = askFor(service.url, projectId)
    const ready = async () => (await fetch(`${service.url}/readyz`)).status
    expect(await ready()).toBe(200)
    await leave(200_000)
    const rootId = await client.post([{ url: `${site.url}/`, name: 'Home' }])
    expect(await ready()).toBe(503)
    // Twice as long as it takes to look for the next page.
    expect(await client.status(rootId, 2)).toMatchObject({
      state: 'queued',
      waiting: { reason: 'storage_full' },
      urls: [{ attempts: 0 }],
    })
    // There is room, but less than the picture takes.
    await leave(900_000)
    expect(await client.finished(rootId)).toMatchObject({ state: 'done', urls: [{ attempts: 1 }] })
    expect(await ready()).toBe(200)
    const tooLarge = await client.post([{ url: `${site.url}/noise`, name: 'Noise' }], {
      width: side,
      height: side,
    })
    expect(await client.finished(tooLarge)).toMatchObject({
      state: 'failed',
      urls: [{ attempts: 1, reason: 'too_large', detail: expect.stringMatching(/has no room for it/) }],
    })
    service.child.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})
