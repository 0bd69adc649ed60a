import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { Problem } from '../../src/contract/problem.ts'
import { renderDocs } from '../../src/http/answers/docs-page.ts'
import { shareSchemas } from '../../src/http/answers/openapi.ts'
import { startAccepting } from '../support/http/requests.ts'
import { startService } from '../support/http/service.ts'
import { makeProject, rootsUrl } from '../support/store/results.ts'

test('/openapi.json states the limits of the operator for requests', async () => {
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
      failOn: { type: 'string', enum: ['status'] },
    },
  })
})

test('mistakes in a query are reported with the same sentences as in a body, all at once', async () => {
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
      { parameter: 'url', detail: 'must be a string of 1 to 8192 characters' },
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

interface Described {
  readonly tags: { readonly name: string }[]
  readonly paths: Record<string, Record<string, DescribedOperation>>
  readonly components: { readonly schemas: Record<string, { examples?: unknown[] }> }
}

interface DescribedOperation {
  readonly tags: string[]
  readonly description?: string
  readonly parameters?: { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly responses: Record<string, { headers?: Record<string, { schema: object }> }>
}

// Mistakes that `@redocly/cli lint` and `@stoplight/spectral-cli lint` have found (decision 23).
test('/openapi.json is well formed: paths and their parameters, headers, tags', async () => {
  const service = await startService()
  const { tags, paths } = (await (await service.get('/openapi.json')).json()) as Described
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  )
  expect(operations.length).toBeGreaterThan(15)
  for (const { path, operation } of operations) {
    const { parameters = [], responses } = operation
    const inPath = parameters.filter((each) => each.in === 'path')
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect([path, inPath.map(({ name }) => name)]).toEqual([path, named])
    expect(path).not.toMatch(/[*]/)
    expect(inPath.filter(({ required }) => !required)).toEqual([])
    for (const { headers = {} } of Object.values(responses)) {
      for (const { schema } of Object.values(headers)) expect(schema).toEqual({ type: 'string' })
    }
    expect(tags.map(({ name }) => name)).toContain(operation.tags[0])
    expect([path, operation.description]).toEqual([path, expect.stringMatching(/\S/)])
  }
})

test('every named schema has an example; those of requests are accepted', async () => {
  const service = await startAccepting()
  const { components } = (await (await service.get('/openapi.json')).json()) as Described
  const few = Object.entries(components.schemas).filter(([, { examples = [] }]) => examples.length === 0)
  expect(few.map(([name]) => name)).toEqual([])
  const [small, full, ...others] = components.schemas['ScreenshotRequest']?.examples ?? []
  expect(others).toEqual([])
  for (const example of [small, full]) expect((await service.post(example)).status).toBe(201)
})

test('every field of a request has a description, and an example if it helps', async () => {
  interface Field {
    readonly description?: string
    readonly properties?: Record<string, Field>
    readonly items?: Field
    readonly oneOf?: (Field & { readonly title: string })[]
    readonly [keyword: string]: unknown
  }
  const service = await startService()
  const { components } = (await (await service.get('/openapi.json')).json()) as Described
  const poor: string[] = []
  const look = (field: Field, at: string) => {
    for (const [name, inner] of Object.entries(field.properties ?? {})) {
      const isExplained =
        'enum' in inner ||
        'const' in inner ||
        inner['type'] === 'boolean' ||
        '$ref' in inner ||
        inner['deprecated'] === true
      const isWhole = !('properties' in inner || 'items' in inner || 'additionalProperties' in inner)
      const isFixed = (inner['enum'] as unknown[] | undefined)?.length === 1
      if (!inner.description && !isFixed) poor.push(`${at}${name} has no description`)
      if (isWhole && !isExplained && !inner['examples']) poor.push(`${at}${name} has no example`)
      look(inner, `${at}${name}.`)
    }
    if (field.items) look(field.items, `${at}[].`)
    for (const kind of field.oneOf ?? []) look(kind, `${at}${kind.title}.`)
  }
  for (const name of ['ScreenshotRequest', 'Effects', 'Clicks', 'Cookies', 'LoginParameter', 'Device'])
    look((components.schemas[name] ?? {}) as Field, `${name}.`)
  expect(poor).toEqual([])
})

test('an option used by many schemas appears once in the document, and once in /docs', async () => {
  const device = { type: 'string', enum: Array.from({ length: 30 }, (_, index) => `Phone ${index}`) }
  const options = { width: { type: 'integer' }, height: { type: 'integer' }, scale: { type: 'number' } }
  const clicks = { type: 'array', items: { type: 'integer', maximum: 9 } }
  const schemas = shareSchemas({
    View: { properties: { device, clicks: { type: 'array', items: { type: 'integer' } } } },
    ScreenshotRequest: {
      properties: {
        all: { properties: { ...options, device, clicks } },
        urls: { items: { properties: { url: { type: 'string' }, ...options, device } } },
      },
    },
  })
  const reference = { $ref: '#/components/schemas/Device' }
  expect(schemas).toMatchObject({
    View: { properties: { device: reference, clicks: { items: { type: 'integer' } } } },
    ScreenshotRequest: { properties: { all: { properties: { device: reference } } } },
    Device: device,
    Clicks: clicks,
  })
  const html = renderDocs({ info: { title: 'x', version: '1' }, components: { schemas } })
  expect(html.match(/Phone 29/g)).toHaveLength(1)
  expect(html).toContain('<details><summary>All 30 names</summary>')
  expect(html).toMatch(
    /<code>urls\[\]\.…<\/code><\/td><td>optional<\/td><td><code>width<\/code>, .*: as in <code>all<\/code>\./,
  )
})

test('/docs shows the examples and links back to the gallery', async () => {
  const service = await startService()
  const html = await (await service.get('/docs')).text()
  expect(html).toContain('<a href="./">Back to the gallery</a>')
  const headings = [...html.matchAll(/<h2 id="(.*?)">(.*?)<\/h2>/g)].map(([, id, text]) => [id, text])
  const sections = [
    'Results',
    'Browsing',
    'Access',
    'Capturing',
    'Downloads',
    'Templates',
    'Schedules',
    'Webhooks',
    'Images',
    'Operating',
    'Schemas',
  ]
  expect(headings).toEqual(sections.map((name) => [name, name]))
  const post = html
    .split('<section>')
    .find((part) => part.includes('<b>POST</b><code>/api/projects/{projectId}</code>'))
  expect(post).toMatch(/Example of a body 1<\/summary><pre[^>]*>\{\n {2}&quot;screenshotParameter&quot;/)
  const list = html.split('<section>').find((part) => part.includes('/screenshots/root</code>'))
  expect(list).toMatch(/Example of an answer<\/summary><pre[^>]*>\[\n {2}\{\n {4}&quot;rootId&quot;/)
})
