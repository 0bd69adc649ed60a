// @module-tag browser

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from '../../src/contract/paths.ts'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { COLOURED, servePages } from '../support/camera/pages.ts'
import { askFor } from '../support/http/ask-for.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'

const ENDLESS = ':is(:is(b:has(~ i) ~ b) ~ b) ~ b'
const BLUR = { effect: 'blur', options: { radius: 3 } } as const

test('heavy requests are refused, or fail after one attempt with a reason; another project is captured meanwhile', async () => {
  const site = await servePages((path, response) =>
    response.end(path === '/beside' ? `<!doctype html><div>${'<b></b>'.repeat(5_000)}</div>` : COLOURED),
  )
  const env = {
    ...BROWSER_ENV,
    DATA_DIR: join(await makeFolder(), 'data'),
    CAPTURE_ALLOW: `127.0.0.1:${site.port}`,
    CAPTURE_CONCURRENCY: '1',
    MAX_PICTURE_PIXELS: '1000000',
    MAX_URLS_PER_REQUEST: '10',
  }
  const [heavy, light] = [randomUUID(), randomUUID()]
  for (const id of [heavy, light]) await runProofsheet(['project', 'create', '--id', id], env)
  const { url } = await serveProcess(env)

  const refused = async (parameter: object, pages = 1): Promise<string> => {
    const response = await fetch(url + projectPath(heavy), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        screenshotParameter: { width: 1000, height: 1000, ...parameter },
        urls: Array.from({ length: pages }, () => ({ url: `${site.url}/`, name: 'Page' })),
      }),
    })
    expect(response.status).toBe(400)
    return await response.text()
  }
  expect(await refused({ effects: Array(11).fill(BLUR) })).toContain(
    'makes 11000000 pixels together with the steps before it, more than 10 × MAX_PICTURE_PIXELS (1000000)',
  )
  expect(await refused({ hide: Array(51).fill('.ad') })).toContain('must be a list of at most 50 selectors')
  const sizes = Array.from({ length: 4 }, (_, index) => ({ width: 100 + index, height: 100 }))
  expect(await refused({ sizes }, 3)).toContain('asks for 12 pages (pages × sizes); the limit is 10')

  const [mine, theirs] = [askFor(url, heavy), askFor(url, light)]
  const pages = [1, 2].map((each) => ({
    url: `${site.url}/beside`,
    name: `Page ${each}`,
    loadingTime: 4_000,
  }))
  const rootId = await mine.post(pages, { waitFor: ENDLESS })
  const plain = await theirs.finished(await theirs.post([{ url: `${site.url}/`, name: 'Plain' }]))
  expect(plain.urls).toMatchObject([{ state: 'done' }])
  expect((await mine.finished(rootId)).urls).toMatchObject(
    pages.map(() => ({
      ...{ state: 'failed', reason: 'timeout', attempts: 1 },
      detail: expect.stringContaining(`It was last asked for waitFor, ${ENDLESS}`),
    })),
  )
})
