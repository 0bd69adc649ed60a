// @module-tag browser

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

async function fetchPixels(address: string) {
  const png = Buffer.from(await (await fetch(address)).arrayBuffer())
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return {
    width,
    height,
    channels,
    at: (x: number, y: number) => [...data.subarray((y * width + x) * channels).subarray(0, channels)],
  }
}

const [ORANGE, BLUE, NOTHING] = [
  [255, 136, 0, 255],
  [0, 0, 255, 255],
  [0, 0, 0, 0],
]

test('a picture is cropped, framed and given effects before it is stored', async () => {
  const site = await servePages((path, response) =>
    response.end(path === '/high' ? `${COLOURED}<div style="height:1200px">` : COLOURED),
  )
  const env = {
    ...BROWSER_ENV,
    DATA_DIR: join(await makeFolder(), 'data'),
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    MAX_PICTURE_PIXELS: '1500000',
  }
  const projectId = randomUUID()
  await runProofsheet(['project', 'create', '--id', projectId], env)
  const service = await serveProcess(env)
  const client = askFor(service.url, projectId)
  const rootId = await client.post(
    [
      { url: `${site.url}/`, name: 'Finished' },
      {
        url: `${site.url}/high`,
        name: 'Too large',
        fullPage: true,
        effects: [{ effect: 'resize', options: { width: 1800 } }],
      },
      {
        url: `${site.url}/plain`,
        name: 'Only smaller',
        effects: [{ effect: 'resize', options: { height: 36 } }],
      },
    ],
    {
      area: 'lowerhalf',
      style: 'macos-simple-dark',
      effects: [
        { effect: 'roundcorners', options: { radius: 20 } },
        { effect: 'margin', options: { margin: 50 } },
        { effect: 'shadow', options: { margin: 50, blur: 10, offset: 20 } },
      ],
    },
  )
  const { urls } = await client.finished(rootId)
  expect(urls).toMatchObject([
    { state: 'done' },
    {
      ...{ state: 'failed', reason: 'too_large', attempts: 1 },
      detail:
        'Effect 1 (resize) makes the picture 1800 × 954 pixels, more than MAX_PICTURE_PIXELS (1500000).',
    },
    { state: 'done' },
  ])
  const { jobs } = await client.root(rootId)
  const [first, last] = jobs
  // 1200 × 720, its lower half with a title bar of 36, and 100 more on each side.
  const [width, height] = [1200 + 200, 360 + 36 + 200]
  expect(first?.screenshotParameter).toMatchObject({ width, height })
  const picture = await fetchPixels(first?.data ?? '')
  expect([picture.width, picture.height, picture.channels]).toEqual([width, height, 4])
  expect(picture.at(0, 0)).toEqual(NOTHING)
  // In the round corners there is only the shadow.
  for (const [x, y] of [
    [100, 100],
    [1299, 495],
  ] as const) {
    const [red, green, blue, alpha] = picture.at(x, y)
    expect([red, green, blue]).toEqual([0, 0, 0])
    expect(alpha).toBeLessThan(77)
  }
  expect([picture.at(120, 118), picture.at(300, 118)]).toEqual([
    [255, 95, 87, 255],
    [56, 56, 58, 255],
  ])
  expect([picture.at(101, 200), picture.at(699, 300), picture.at(700, 136), picture.at(1299, 400)]).toEqual([
    ORANGE,
    ORANGE,
    BLUE,
    BLUE,
  ])
  const below = picture.at(700, 500)
  expect(below.slice(0, 3)).toEqual([0, 0, 0])
  expect(below[3]).toBeGreaterThan(50)
  const preview = await fetchPixels(first?.preview ?? '')
  expect([preview.width, preview.height, preview.channels]).toEqual([
    400,
    Math.round((height * 400) / width),
    4,
  ])
  expect([preview.at(0, 0), preview.at(300, 100)]).toEqual([NOTHING, BLUE])
  // 1200 × 396, 36 high.
  expect(last?.screenshotParameter).toMatchObject({ width: 109, height: 36 })
})
