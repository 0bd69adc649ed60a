import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { BUSY_TIMEOUT_MS } from '../../src/store/sqlite/open-database.ts'
import { sendRaw as open, readAll } from '../support/http/raw-request.ts'
import { jobIdOf, listRoots as list, refusal, withoutRequestId } from '../support/http/request-answers.ts'
import { eventsUrl, newRequest, startAccepting, statusUrl } from '../support/http/requests.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

describe('a key', () => {
  async function serviceWithKeys(env: Record<string, string> = {}) {
    const service = await startAccepting({ AUTH: 'keys', ...env })
    const read = await makeKey(service.store, service.projectId, 'read')
    const write = await makeKey(service.store, service.projectId, 'write')
    const ask = (secret: string | undefined, projectId = service.projectId, body: unknown = newRequest()) =>
      service.post(body, { projectId, headers: secret === undefined ? {} : { authorization: secret } })
    return { service, read, write, ask }
  }

  test('is required: without one the answer is 401 with a challenge, before anything else is checked', async () => {
    const { service, ask } = await serviceWithKeys()
    for (const [secret, projectId, body] of [
      [undefined, undefined, newRequest()],
      ['nonsense', undefined, newRequest()],
      [undefined, randomUUID(), newRequest()],
      [undefined, undefined, 'nonsense'],
    ] as const) {
      const response = await ask(secret, projectId, body)
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="proofsheet"')
      expect(await refusal(response)).toEqual([401, 'unauthorized'])
    }
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that can only read is 403, whatever it sends and to whatever project', async () => {
    const { service, read, ask } = await serviceWithKeys()
    const stranger = await makeProject(service.store)
    for (const projectId of [service.projectId, stranger, randomUUID(), 'x']) {
      expect(await refusal(await ask(read.secret, projectId))).toEqual([403, 'forbidden'])
      expect(await refusal(await ask(read.secret, projectId, 'nonsense'))).toEqual([403, 'forbidden'])
    }
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that can write is accepted, bare or as Bearer, and can read the status', async () => {
    const { service, read, write, ask } = await serviceWithKeys()
    const rootId = await jobIdOf(await ask(write.secret))
    expect((await ask(`Bearer ${write.secret}`)).status).toBe(201)
    for (const { secret } of [read, write]) {
      const response = await service.get(statusUrl(service.projectId, rootId), { authorization: secret })
      expect(response.status).toBe(200)
    }
  })

  test('of another project gets 404', async () => {
    const { service, ask } = await serviceWithKeys()
    const { secret } = await makeKey(service.store, await makeProject(service.store), 'write')
    const nothing = await withoutRequestId(await ask(secret, randomUUID()))
    expect(nothing[0]).toBe(404)
    expect(await withoutRequestId(await ask(secret))).toEqual(nothing)
    expect(await service.store.pageRoots(service.projectId, { limit: 1 })).toEqual([])
  })

  test('that was revoked is 401 from the next request on', async () => {
    const { service, write, ask } = await serviceWithKeys()
    expect((await ask(write.secret)).status).toBe(201)
    await service.store.revokeKey(write.keyId, 2)
    expect(await refusal(await ask(write.secret))).toEqual([401, 'unauthorized'])
  })

  test('counts towards the rate limit, refused or not', async () => {
    const { service, read, write, ask } = await serviceWithKeys({ RATE_LIMIT: '3/1m' })
    const { projectId } = service
    const statuses = async (secret: string, bodies: unknown[]) => {
      const answers = []
      for (const body of bodies) answers.push((await ask(secret, projectId, body)).status)
      return answers
    }
    expect(await statuses(write.secret, [newRequest(), {}, newRequest(), newRequest()])).toEqual([
      201, 400, 201, 429,
    ])
    expect(await statuses(read.secret, [{}, {}, {}, {}])).toEqual([403, 403, 403, 429])
    expect(await service.store.pageRoots(projectId, { limit: 9 })).toHaveLength(2)
    service.now += 60_000
    expect(await statuses(write.secret, [newRequest()])).toEqual([201])
  })
})

describe('rules that hold for every request:', () => {
  test('RATE_LIMIT: 429 says when to retry, and nothing is created', async () => {
    const service = await startAccepting({ RATE_LIMIT: '1/1m' })
    const first = await service.post(newRequest())
    expect([first.status, first.headers.get('ratelimit')]).toEqual([201, '"default";r=0;t=60'])
    const second = await service.post(newRequest())
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await service.store.pageRoots(service.projectId, { limit: 9 })).toHaveLength(1)
  })

  test('Host: another name is refused before the body is read', async () => {
    const service = await startAccepting()
    const body = JSON.stringify(newRequest())
    const ask = async (host: string) => {
      const head = `POST /api/projects/${service.projectId} HTTP/1.1\n${host}Content-Type: application/json\nConnection: close\n`
      return await readAll(await open(service, `${head}Content-Length: ${body.length}\n\n${body}`))
    }
    expect(await ask('Host: evil.example.com\n')).toMatch(/^HTTP\/1.1 403 [\s\S]*host_not_allowed/)
    expect(await ask('')).toMatch(/^HTTP\/1.1 400 /)
    expect(await list(service)).toEqual([])
    expect(await ask('Host: LOCALHOST:1234\n')).toMatch(
      /^HTTP\/1.1 201 [\s\S]*location: http:\/\/localhost:1234\/api\//,
    )
  })

  test('PUBLIC_URL: Location begins with it', async () => {
    const service = await startAccepting({ PUBLIC_URL: 'https://shots.example.com/base' })
    const response = await service.post(newRequest())
    const path = `${rootsUrl(service.projectId)}/${await jobIdOf(response)}`
    expect(response.headers.get('location')).toBe(`https://shots.example.com/base${path}`)
  })

  test('CORS: pages of allowed origins may read, but not write', async () => {
    const service = await startAccepting({ CORS_ORIGINS: 'https://app.example.com' })
    const preflight = await fetch(`${service.url}/api/projects/${service.projectId}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  })

  test('methods: 405 names the allowed ones', async () => {
    const service = await startAccepting()
    const rootId = await service.accept()
    const ask = async (method: string, path: string) => {
      const response = await fetch(service.url + path, {
        method,
        ...(method === 'POST' && { body: '{', headers: { 'content-type': 'application/json' } }),
      })
      return [response.status, response.headers.get('allow')]
    }
    for (const method of ['PATCH', 'OPTIONS']) {
      expect([method, await ask(method, `/api/projects/${service.projectId}`)]).toEqual([
        method,
        [405, 'DELETE, GET, HEAD, POST, PUT'],
      ])
    }
    const { projectId } = service
    for (const path of [
      rootsUrl(projectId),
      `${rootsUrl(projectId)}/${rootId}`,
      statusUrl(projectId, rootId),
    ]) {
      expect(await ask('POST', path)).toEqual([405, 'GET, HEAD'])
    }
    for (const method of ['POST', 'HEAD']) {
      expect(await ask(method, eventsUrl(projectId, rootId))).toEqual([405, 'GET'])
    }
    expect(await list(service)).toHaveLength(1)
  })

  test('metrics and logs: they have the route, and nothing that was sent', async () => {
    const service = await startAccepting()
    const secret = 'https://example.com/?token=hidden'
    await service.post(
      { ...newRequest(), urls: [{ url: secret, name: 'x' }] },
      { headers: { 'idempotency-key': 'hidden-key' } },
    )
    const metrics = await (await service.get('/metrics')).text()
    expect(metrics).toContain('method="POST",route="/api/projects/:projectId",status="201"')
    await service.stop()
    expect(service.logLines.join('')).toContain(`"path":"/api/projects/${service.projectId}"`)
    expect(service.logLines.join('')).not.toContain('hidden')
  })

  test('a store that fails: 503, which reveals nothing of it', async () => {
    const service = await startAccepting()
    await service.store.close()
    const took: number[] = []
    const ask = async () => {
      const begun = performance.now()
      const response = await service.post(newRequest())
      took.push(performance.now() - begun)
      return response
    }
    const [response] = [await ask(), await ask(), await ask()]
    // It will not come back, so nothing waits five seconds for it as for a busy one.
    expect(Math.min(...took)).toBeLessThan(BUSY_TIMEOUT_MS)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.text()).not.toContain(service.dataDir)
  })
})
