import { rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import perf from 'node:perf_hooks'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Readiness } from '../../src/contract/readiness.ts'
import { DEMO_PROJECT_ID } from '../../src/demo/visits.ts'
import { makeApiKey } from '../../src/store/api-key.ts'
import { startService } from '../support/http/service.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { KEYS } from '../support/servers/keys.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { newRequest } from '../support/store/captures.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

describe('health', () => {
  test('/healthz says that the process is alive, /readyz that it can answer', async () => {
    const service = await startService()
    for (const path of ['/healthz', '/readyz']) {
      const response = await service.get(path)
      expect([response.status, await response.json()]).toMatchObject([200, { status: 'ok' }])
      expect((await fetch(service.url + path, { method: 'HEAD' })).status).toBe(200)
    }
  })

  test('/readyz says what captures, and shows no path of the machine', async () => {
    const named = await startService({ CHROMIUM_PATH: process.execPath })
    expect(await (await named.get('/readyz')).json()).toEqual({
      status: 'ok',
      capturing: { state: 'ready', browser: 'whole browser that CHROMIUM_PATH names' },
    })
    const folder = await makeFolder()
    const path = join(folder, 'browser')
    await writeFile(path, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const broken = await startService({ CHROMIUM_PATH: path })
    const projectId = await makeProject(broken.store)
    const detail = 'The browser does not start. The operator can find out why with: npx proofsheet browser'
    const ask = () =>
      fetch(`${broken.url}/api/projects/${projectId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          screenshotParameter: { width: 100, height: 100 },
          urls: [{ url: 'https://example.com/', name: 'x' }],
        }),
      })
    // The first request is accepted while the browser is being tried.
    expect((await ask()).status).toBe(201)
    await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(503)
    // Known after the browser was tried, and after it is gone.
    for (const before of [async () => {}, () => rm(path)]) {
      await before()
      expect(await (await ask()).json()).toMatchObject({ code: 'no_browser', detail })
      expect(await (await broken.get('/readyz')).json()).toEqual({
        status: 'ok',
        capturing: { state: 'no_browser', detail },
      })
    }
    const elsewhere = await startService({ CAPTURE_CONCURRENCY: '0' })
    expect(await (await elsewhere.get('/readyz')).json()).toEqual({
      status: 'ok',
      capturing: { state: 'elsewhere' },
    })
  })

  test('/readyz is 503 if the database or the pictures are unavailable, and /healthz stays 200', async () => {
    const service = await startService()
    await rm(join(service.dataDir, 'images'), { recursive: true })
    const response = await service.get('/readyz')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.text()).not.toContain(service.dataDir)
    await service.store.close()
    expect((await service.get('/readyz')).status).toBe(503)
    expect((await service.get('/healthz')).status).toBe(200)
  })
})

describe('/readyz', () => {
  test('reports `stuck`, and stays 200, if due pages have not begun for two minutes', async () => {
    const service = await startService({ CHROMIUM_PATH: process.execPath })
    // A queue that finds nothing.
    Object.assign(service.store.captures, { takeNext: async () => undefined })
    // It stays ready, however long it had nothing to do.
    service.now += 600_000
    const projectId = await makeProject(service.store)
    await service.store.captures.accept(newRequest(projectId, { created: service.now }))
    const state = async () => ((await (await service.get('/readyz')).json()) as Readiness).capturing.state
    expect(await state()).toBe('ready')
    service.now += 119_000
    expect(await state()).toBe('ready')
    service.now += 2_000
    expect(await state()).toBe('stuck')
    expect((await service.get('/readyz')).status).toBe(200)
  })

  test('is 503 and names the database if the pool has no free connection', async () => {
    const address = await postgres.newDatabase()
    const service = await startService({
      ...{ DATABASE_URL: address, DATABASE_POOL: '1', DATABASE_WAIT: '1s' },
      ...{ ...KEYS, CAPTURE_CONCURRENCY: '0' },
    })
    const other = new pg.Client(address)
    await other.connect()
    await other.query('begin; lock table keys')
    const holding = makeKey(service.store, await makeProject(service.store))
    await expect.poll(() => service.store.connections()).toEqual({ used: 1, waiting: 0 })
    const full = await service.get('/readyz')
    const detail = 'The database does not answer as it should.'
    expect([full.status, await full.json()]).toMatchObject([503, { code: 'unavailable', detail }])
    // Background work of the service may have waited for a connection, too.
    await expect.poll(() => service.store.connections()).toEqual({ used: 1, waiting: 0 })
    await other.query('rollback')
    await other.end()
    await holding
    expect((await service.get('/readyz')).status).toBe(200)
    expect(await (await service.get('/metrics')).text()).toMatch(/^proofsheet_database_connections_used \d/m)
  })
})

describe('/metrics', () => {
  test('counts requests by route and status, never by URL', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await (await service.get(rootsUrl(projectId))).text()
    await (await service.get(`${rootsUrl(projectId)}/x`)).text()
    const response = await service.get('/metrics')
    const text = await response.text()
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const count = (route: string, status: number) =>
      `proofsheet_http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"} 1`
    expect(text).toContain(count('/api/projects/:projectId/screenshots/root', 200))
    expect(text).toContain(count('/api/projects/:projectId/screenshots/root/:jobId', 404))
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'captures_under_way',
      'stored_bytes_total',
      'watchers',
      'bodies',
      'bodies_bytes',
      'queue_waiting',
      'queue_running',
      'queue_oldest_seconds',
      'storage_free_bytes',
      'storage_total_bytes',
    ])
      expect(text).toMatch(new RegExp(`^proofsheet_${name} \\d`, 'm'))
    const strangers = text
      .split('\n')
      .filter((line) => line !== '' && !/^(# (HELP|TYPE) )?proofsheet_/.test(line))
    expect(strangers).toEqual([])
    expect(text).not.toContain(projectId)
  })

  test('measures the process once, however many services it starts', async () => {
    const measuring = vi.spyOn(perf, 'monitorEventLoopDelay')
    onTestFinished(() => measuring.mockRestore())
    for (let services = 0; services < 3; services++) {
      const service = await startService()
      expect(await (await service.get('/metrics')).text()).toContain(
        'proofsheet_nodejs_eventloop_lag_p99_seconds ',
      )
      await service.stop()
    }
    expect(measuring.mock.calls.length).toBeLessThanOrEqual(1)
  })
})

describe('METRICS_TOKEN', () => {
  test('is required wherever it is set, and never logged', async () => {
    const token = 'a-token-for-prometheus'
    const service = await startService({ METRICS_TOKEN: token })
    expect((await service.get('/metrics')).status).toBe(401)
    expect((await service.get('/metrics', { authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await service.get('/docs')).status).toBe(200)
    await service.stop()
    expect(service.logLines.join('')).not.toContain(token)
  })
})

describe('logs', () => {
  test('have one JSON line per request, with the id that its answer carries', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const response = await service.get(`${rootsUrl(projectId)}?limit=5`)
    await response.text()
    await service.stop()
    const lines = service.logLines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request')
    expect(lines).toMatchObject([
      {
        level: 30,
        reqId: response.headers.get('x-request-id'),
        method: 'GET',
        path: rootsUrl(projectId),
        status: 200,
        ms: expect.any(Number),
      },
    ])
  })
})

describe('documentation', () => {
  test('/openapi.json is OpenAPI 3.1, made from the schemas that validate', async () => {
    const service = await startService({ PAGE_LIMIT: '50' })
    const response = await service.get('/openapi.json')
    const document = (await response.json()) as {
      openapi: string
      paths: Record<string, { get: { parameters: object[]; responses: Record<string, unknown> } }>
      components: { schemas: Record<string, { properties: object }> }
    }
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual([
      '/api/projects/{projectId}/screenshots/root',
      '/api/projects/{projectId}/screenshots/root/{jobId}',
      '/api/projects',
      '/api/projects/{projectId}',
      '/api/projects/{projectId}/screenshots/overview',
      '/api/projects/{projectId}/screenshots/root/{jobId}/overview',
      '/api/projects/{projectId}/pages',
      '/api/projects/{projectId}/pages/history',
      '/api/projects/{projectId}/screenshots/root/{jobId}/pictures/{uuid}',
      '/api/projects/{projectId}/screenshots/root/{jobId}/pictures.zip',
      '/api/projects/{projectId}/screenshots/root/{jobId}/schedule',
      '/api/projects/{projectId}/templates',
      '/api/projects/{projectId}/templates/{templateId}',
      '/api/projects/{projectId}/schedules',
      '/api/projects/{projectId}/schedules/{scheduleId}',
      '/api/projects/{projectId}/schedules/{scheduleId}/run',
      '/api/projects/{projectId}/schedules/preview',
      '/api/projects/{projectId}/webhooks',
      '/api/projects/{projectId}/webhooks/{webhookId}',
      '/api/projects/{projectId}/webhooks/{webhookId}/test',
      '/api/projects/{projectId}/webhooks/{webhookId}/secret',
      '/api/projects/{projectId}/webhooks/{webhookId}/deliveries',
      '/api/projects/{projectId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
      '/api/projects/{projectId}/webhooks/{webhookId}/replay',
      '/api/keys',
      '/api/keys/{keyId}',
      '/api/session',
      '/api/session/{keyId}',
      '/api/projects/{projectId}/screenshots/root/{jobId}/status',
      '/api/projects/{projectId}/screenshots/root/{jobId}/events',
      '/images/{projectId}/{file}',
      '/healthz',
      '/readyz',
      '/metrics',
    ])
    const list = document.paths['/api/projects/{projectId}/screenshots/root']?.get
    expect(list?.parameters).toContainEqual(
      expect.objectContaining({ name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 50 } }),
    )
    expect(Object.keys(list?.responses ?? {})).toEqual(['200', '304', '400', '401', '404', '429', '503'])
    expect(Object.keys(document.components.schemas['JobResult']?.properties ?? {})).toEqual([
      'data',
      'rootId',
      'projectId',
      'uuid',
      'url',
      'meta',
      'screenshotParameter',
      'preview',
    ])
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map((match) => match[1])
    expect(ids).toHaveLength(new Set(ids).size)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1])
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(new Set(references)).toEqual(new Set(schemas))
    const projectId = await makeProject(service.store)
    expect((await service.get(`${rootsUrl(projectId)}?limit=50`)).status).toBe(200)
    expect((await service.get(`${rootsUrl(projectId)}?limit=51`)).status).toBe(400)
  })

  test('/docs shows every operation and field, and needs no other host and no script', async () => {
    const service = await startService()
    const response = await service.get('/docs')
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'$/,
    )
    expect(html).not.toMatch(/<script|href="[^"#]*:|src=|url\(|@import/)
    for (const text of [
      '/api/projects/{projectId}/screenshots/root/{jobId}',
      'screenshotParameter.basepath',
      'url.loadingTime',
      'not_found',
    ]) {
      expect(html).toContain(text)
    }
  })
})

describe('a page of another site', () => {
  test('cannot embed any answer', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const paths = [rootsUrl(projectId), `${rootsUrl(projectId)}/x`, '/docs', '/openapi.json', '/healthz', '/']
    for (const path of [...paths, '/metrics', '/nothing']) {
      const { headers } = await service.get(path)
      const policy = headers.get('content-security-policy')
      const said = policy === null ? headers.get('x-frame-options') : policy.split('; ').at(-1)
      expect([path, said]).toEqual([path, policy === null ? 'DENY' : "frame-ancestors 'none'"])
    }
  })
})

describe('CORS', () => {
  test('is off unless origins are configured', async () => {
    const service = await startService()
    const response = await service.get('/healthz', { origin: 'https://app.example.com' })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('is open to the configured origins only, and to a preflight without a key', async () => {
    const service = await startService({
      CORS_ORIGINS: 'https://app.example.com, https://other.example.com',
      AUTH: 'keys',
    })
    const preflight = (origin: string) =>
      fetch(service.url + rootsUrl('x'), {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
    const allowed = await preflight('https://app.example.com')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://app.example.com',
    ])
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
    const projectId = await makeProject(service.store)
    const read = await service.get(rootsUrl(projectId), { origin: 'https://app.example.com' })
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://app.example.com',
    ])
    expect(read.headers.get('access-control-expose-headers')).toContain('etag')
    const bare = await fetch(service.url + rootsUrl('x'), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com' },
    })
    expect(bare.status).toBe(401)
    expect(
      (await preflight('https://evil.example.com')).headers.get('access-control-allow-origin'),
    ).toBeNull()
  })
})

describe('RATE_LIMIT', () => {
  test('counts requests of each client in its window and answers 429 with the time to retry', async () => {
    const service = await startService({ RATE_LIMIT: '2/1m' })
    const projectId = await makeProject(service.store)
    const ask = async () => {
      const response = await service.get(rootsUrl(projectId))
      return [response.status, response.headers.get('ratelimit'), response.headers.get('retry-after')]
    }
    expect(await ask()).toEqual([200, '"default";r=1;t=60', null])
    expect(await ask()).toEqual([200, '"default";r=0;t=60', null])
    service.now += 20_000
    expect(await ask()).toEqual([429, '"default";r=0;t=40', '40'])
    const refused = await service.get(rootsUrl(projectId))
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60')
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    expect((await service.get('/healthz')).status).toBe(200)
    service.now += 40_000
    expect((await ask())[0]).toBe(200)
  })

  test.each([-7_200_000, 7_200_000, 691_200_000])(
    'makes no client wait longer than a window, even if the clock jumps by %i ms and back',
    async (jump) => {
      const service = await startService({ RATE_LIMIT: '1/1m' })
      const url = rootsUrl(await makeProject(service.store))
      for (const by of [0, jump, -jump]) {
        service.now += by
        const [first, second] = [await service.get(url), await service.get(url)]
        expect([first.status, second.status]).toEqual([200, 429])
        expect(Number(second.headers.get('retry-after'))).toBeLessThanOrEqual(60)
      }
    },
  )

  test('counts each key separately', async () => {
    const service = await startService({ RATE_LIMIT: '1/1m', AUTH: 'keys' })
    const projectId = await makeProject(service.store)
    const keys: string[] = []
    for (let index = 0; index < 2; index++) keys.push((await makeKey(service.store, projectId)).secret)
    const ask = async (authorization = '') =>
      (await service.get(rootsUrl(projectId), { authorization })).status
    expect([await ask(keys[0]), await ask(keys[0]), await ask(keys[1]), await ask(keys[1])]).toEqual([
      200, 429, 200, 429,
    ])
  })

  test('counts requests of a key for other projects', async () => {
    const service = await startService({ RATE_LIMIT: '2/1m', AUTH: 'keys' })
    const projectId = await makeProject(service.store)
    const { secret } = await makeKey(service.store, projectId)
    const statuses = []
    for (let index = 0; index < 3; index++) {
      statuses.push((await service.get(rootsUrl(DEMO_PROJECT_ID), { authorization: secret })).status)
    }
    expect(statuses).toEqual([404, 404, 429])
  })

  test('counts clients without a valid key by address, apart from those with one', async () => {
    const token = 'a-token-for-prometheus'
    const service = await startService({ RATE_LIMIT: '2/1m', AUTH: 'keys', METRICS_TOKEN: token })
    const projectId = await makeProject(service.store)
    const { secret } = await makeKey(service.store, projectId)
    const ask = async (authorization: string, path = rootsUrl(projectId)) => {
      const { status, headers } = await service.get(path, { authorization })
      return [status, headers.get('ratelimit'), headers.get('retry-after')]
    }
    expect(await ask('')).toEqual([401, '"default";r=1;t=60', null])
    expect(await ask('guessed', '/metrics')).toEqual([401, '"default";r=0;t=60', null])
    expect(await ask(makeApiKey())).toEqual([429, '"default";r=0;t=60', '60'])
    expect(await ask('guessed', '/nothing')).toEqual([429, '"default";r=0;t=60', '60'])
    expect((await ask(secret))[0]).toBe(200)
    expect((await ask(token, '/metrics'))[0]).toBe(200)
    expect((await service.get('/healthz')).status).toBe(200)
  })

  test('is off by default', async () => {
    const service = await startService()
    expect((await service.get('/docs')).headers.get('ratelimit')).toBeNull()
  })
})

describe('an idle connection', () => {
  test('is closed after IDLE_TIMEOUT', async () => {
    const service = await startService({ IDLE_TIMEOUT: '200ms' })
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await new Promise((resolve) => socket.once('close', resolve).resume())
    const kept = connect(Number(new URL(service.url).port), '127.0.0.1')
    kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await new Promise((resolve) => kept.once('close', resolve).resume())
  })
})
