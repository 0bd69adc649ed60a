// @module-tag browser

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { servePages } from '../support/camera/pages.ts'
import { answerShop } from '../support/camera/shop-site.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

/** Every field that Websiteshot's clients send, except for its schedules. */
const requestFor = (url: string) => ({
  screenshotParameter: {
    ...{ width: 1200, height: 720, fullPage: false, name: 'x', tags: ['t'] },
    ...{ style: 'macos-simple-dark', area: 'upperhalf' },
    effects: [
      { effect: 'blur', options: { radius: 0 } },
      { effect: 'roundcorners', options: { radius: 12 } },
      { effect: 'margin', options: { margin: 10 } },
      {
        effect: 'shadow',
        options: {
          ...{ margin: 30, blur: 15, offset: 8, opacity: 0.5 },
          color: { r: 0, g: 0, b: 0, a: 1 },
          bgColor: { r: 0, g: 0, b: 0, a: 0 },
        },
      },
      { effect: 'resize', options: { width: 960 } },
    ],
    loginParameter: {
      username: { elementId: '#email', username: 'a@b' },
      password: { elementId: '#password', password: 's3cret' },
      loginButton: { elementId: '#login' },
    },
  },
  urls: [
    { url, name: 'Home', loadingTime: 60_000, clicks: [{ elementId: '#menu', loadingTime: 100 }] },
    { url, name: 'Closed', loadingTime: 60_000, clicks: null },
  ],
})

test('a request with every field of Websiteshot gives the expected picture', async () => {
  const site = await servePages(answerShop)
  const env = {
    ...BROWSER_ENV,
    ...{ DATA_DIR: join(await makeFolder(), 'data'), CAPTURE_ALLOW: `127.0.0.1:${site.port}` },
  }
  const projectId = randomUUID()
  await runProofsheet(['project', 'create', '--id', projectId], env)
  const service = await serveProcess(env)
  const response = await fetch(`${service.url}/api/projects/${projectId}`, {
    method: 'POST',
    // In the way of its clients: a raw key, and a charset.
    headers: { authorization: 'a-raw-key', 'content-type': 'application/json;charset=utf-8' },
    body: JSON.stringify(requestFor(`${site.url}/`)),
  })
  expect(response.ok).toBe(true)
  const { jobId } = (await response.json()) as { jobId: string }
  const status = await askFor(service.url, projectId).finished(jobId)
  expect(status).toMatchObject({ state: 'done', tags: ['t'] })
  expect(status.urls.map(({ notes }) => notes)).toEqual([undefined, undefined])
  const { jobs } = (await (
    await fetch(`${service.url}/api/projects/${projectId}/screenshots/root/${jobId}`)
  ).json()) as RootResult
  // 1200 × 360 of the page, 36 more for the frame, 2 × 10 and 2 × 30 around it; then 960 wide.
  const height = Math.round((360 + 36 + 80) * 0.75)
  expect(jobs.map(({ screenshotParameter: { width, height } }) => [width, height])).toEqual([
    [960, height],
    [960, height],
  ])
  const [open, closed] = await Promise.all(
    jobs.map(async ({ data }) => Buffer.from(await (await fetch(data)).arrayBuffer())),
  )
  if (process.env['README_PICTURE']) await writeFile(process.env['README_PICTURE'], open ?? '')
  const at = async (png: Buffer | undefined, x: number, y: number) => {
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
    return [...data.subarray((y * info.width + x) * info.channels).subarray(0, info.channels)]
  }
  // The corner of the canvas; the green of the shop; the panel that a click opens.
  expect(await at(open, 0, 0)).toEqual([0, 0, 0, 0])
  expect(await at(open, 480, 30 + 27 + 8)).toEqual([31, 77, 69, 255])
  const panel = [700, 214] as const
  expect(await at(open, ...panel)).toEqual([233, 180, 76, 255])
  expect(await at(closed, ...panel)).not.toEqual([233, 180, 76, 255])
})
