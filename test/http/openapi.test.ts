import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import { makeProject, rootsUrl } from '../support/results.ts'
import { startService } from '../support/service.ts'

test('/openapi.json says what the operator allows of a request', async () => {
  const service = await startService({
    MAX_URLS_PER_REQUEST: '7',
    MAX_VIEWPORT_WIDTH: '1111',
    MAX_VIEWPORT_HEIGHT: '2222',
    MAX_LOADING_TIME: '9s',
  })
  const { components } = (await (await service.get('/openapi.json')).json()) as {
    components: { schemas: Record<string, object> }
  }
  expect(components.schemas['ScreenshotRequest']).toMatchObject({
    additionalProperties: false,
    properties: {
      screenshotParameter: {
        additionalProperties: false,
        properties: {
          width: { minimum: 1, maximum: 1_111 },
          height: { minimum: 1, maximum: 2_222 },
          tags: { maxItems: 50, items: { minLength: 1, maxLength: 100 } },
        },
      },
      urls: {
        minItems: 1,
        maxItems: 7,
        items: {
          additionalProperties: false,
          properties: {
            url: { minLength: 1, maxLength: 8_192 },
            name: { minLength: 1, maxLength: 500 },
            loadingTime: { minimum: 1, maximum: 9_000, default: 9_000 },
          },
        },
      },
      failOn: { type: ['string', 'null'], enum: ['status', null] },
    },
  })
})

test('what is wrong with a query is said in the same sentences as of a body, all at once', async () => {
  const service = await startService({ PAGE_LIMIT: '50' })
  const projectId = await makeProject(service.store)
  const ask = async (path: string) => {
    const response = await service.get(path)
    const { detail, errors } = (await response.json()) as Problem
    return [response.status, detail, errors]
  }
  const limit = { parameter: 'limit', detail: 'must be a whole number from 1 to 50' }
  for (const given of ['limit=0', 'limit=51', 'limit=x', 'limit=', 'limit=1.5', 'limit=1&limit=2']) {
    expect(await ask(`${rootsUrl(projectId)}?${given}`)).toEqual([400, `limit ${limit.detail}`, [limit]])
  }
  const history = `/api/projects/${projectId}/pages/history`
  expect(await ask(`${history}?limit=0&fullPage=yes`)).toEqual([
    400,
    expect.any(String),
    [
      { parameter: 'url', detail: 'must be a text of 1 to 8192 characters' },
      { parameter: 'fullPage', detail: 'must be true or false' },
      limit,
    ],
  ])
  const overview = `/api/projects/${projectId}/screenshots/overview`
  const [status, , errors] = await ask(`${overview}?state=done&state=odd`)
  expect([status, errors]).toEqual([
    400,
    [{ parameter: 'state/1', detail: expect.stringMatching(/^must be one of "\w+", /) }],
  ])
  expect((await service.get(`${overview}?state=done&limit=50&q=%00`)).status).toBe(200)
})

test('the service loads no second validator', async () => {
  const service = await startService()
  expect((await service.get('/healthz')).status).toBe(200)
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  expect(loaded.some((path) => path.includes('/node_modules/fastify/'))).toBe(true)
  expect(loaded.filter((path) => /node_modules\/(@fastify\/ajv-compiler|ajv|typebox)\//.test(path))).toEqual(
    [],
  )
})
