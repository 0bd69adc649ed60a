import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import { anyCharacter } from '../support/runner/any-character.ts'
import { addRows, makeProject, rootsUrl } from '../support/store/results.ts'

/** Sends a path unchanged: fetch would normalize it first. */
function rawGet(service: TestService, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(service.url)
      const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
      })
      request.on('error', reject).end()
    },
  )
}

/** The parts of an answer that must be the same for everything that does not exist. */
function comparable({ status, headers, body }: Awaited<ReturnType<typeof rawGet>>) {
  const { 'x-request-id': id, date: _, ...rest } = headers
  return { status, headers: rest, body: body.replaceAll(String(id), '<id>') }
}

describe('the usual 404', () => {
  test('is the same for an unknown project, an unknown root, a root of another project, and a malformed id', async () => {
    const service = await startService()
    const mine = await makeProject(service.store)
    const theirs = await makeProject(service.store)
    const foreign = await addRows(service.store, theirs)
    const paths = [
      rootsUrl(randomUUID()),
      `${rootsUrl(randomUUID())}/${randomUUID()}`,
      `${rootsUrl(mine)}/${randomUUID()}`,
      `${rootsUrl(mine)}/${foreign}`,
      `${rootsUrl(mine)}/not-an-id`,
      `${rootsUrl('not-an-id')}`,
      `${rootsUrl('%00')}/%00`,
      `${rootsUrl('%E0%A4%A')}/${foreign}`,
      `${rootsUrl(mine)}/${'x'.repeat(2_000)}`,
      `${rootsUrl(mine)}/`,
      '/api/nothing/here',
      '/nothing',
    ]
    for (const method of ['GET', 'HEAD']) {
      for (const headers of [{}, { 'if-none-match': '*' }]) {
        const answers = await Promise.all(paths.map((path) => rawGet(service, path, headers, method)))
        const [first, ...others] = answers.map(comparable)
        expect(first?.status).toBe(404)
        for (const other of others) expect(other).toEqual(first)
      }
    }
    const answer = await rawGet(service, paths[0] ?? '')
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(JSON.parse(answer.body)).toEqual({
      type: 'about:blank',
      title: 'Not found',
      status: 404,
      code: 'not_found',
      requestId: answer.headers['x-request-id'],
    })
  })

  test('property: is the answer to any other id, and the service keeps running', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    const ids = fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.replaceAll('-', '')),
      fc.string({ unit: anyCharacter, maxLength: 80 }).map(encodeURIComponent),
      fc.string({ unit: fc.constantFrom('%', '0', '2', 'e', '.', '/', '\\', ';', '~'), maxLength: 40 }),
      fc.constantFrom(
        '..%2f..',
        '%2e%2e',
        '%c0%af',
        '__proto__',
        'constructor',
        '%00',
        "' or 1=1 --".replaceAll(' ', '%20'),
      ),
    )
    await fc.assert(
      fc.asyncProperty(ids, ids, fc.boolean(), async (first, second, known) => {
        const path = `${rootsUrl(known ? projectId : first)}/${second}`.replace(/[^\x21-\x7e]/g, '')
        const { status, body } = await rawGet(service, path)
        // `.../root/` followed by `?` is near the path of the list, but still 404.
        expect([path, status]).toEqual([path, 404])
        expect(JSON.parse(body)).toMatchObject({ code: 'not_found' })
      }),
      { numRuns: 500 },
    )
    expect((await service.get('/healthz')).status).toBe(200)
  })
})

describe('methods', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '%s is 405 with Allow',
    async (method) => {
      const service = await startService()
      const projectId = await makeProject(service.store)
      for (const path of [
        rootsUrl(projectId),
        `${rootsUrl(projectId)}/${randomUUID()}`,
        '/images/x',
        '/healthz',
        '/docs',
      ]) {
        const response = await fetch(service.url + path, {
          method,
          ...(['POST', 'PUT', 'PATCH'].includes(method) && {
            body: '{',
            headers: { 'content-type': 'application/json' },
          }),
        })
        expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
        expect(await response.json()).toMatchObject({ code: 'method_not_allowed' })
      }
    },
  )
})

/** Writes text to a connection and returns everything received until it is closed. */
const send = (service: TestService, text: string, hostname = '127.0.0.1') =>
  new Promise<string>((resolve, reject) => {
    const { port } = new URL(service.url)
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })

describe('an odd but harmless request', () => {
  test('with an unexpected body or an unknown Expect header is answered', async () => {
    const service = await startService()
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${service.url}/nothing`, { method: 'POST', body: '{', headers })).status).toBe(404)
    const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: foo\r\nConnection: close\r\n\r\n'
    expect(await send(service, request)).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('input that is not a request', () => {
  test('gets a problem and a closed connection if it is invalid HTTP or has oversized headers', async () => {
    const service = await startService()
    expect(await send(service, 'NOT HTTP\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"code":"bad_request"/s)
    const large = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`
    expect(await send(service, large)).toMatch(/^HTTP\/1.1 431 .*"code":"headers_too_large"/s)
  })

  test('is cut off if its headers never end', async () => {
    const service = await startService({ REQUEST_TIMEOUT: '1s' })
    expect(await send(service, 'GET / HTTP/1.1\r\nHost: localhost\r\n')).toMatch(
      /^HTTP\/1.1 408 .*"code":"request_timeout"/s,
    )
  }, 90_000)
})

describe('an internal failure', () => {
  test('is 503 with Retry-After, reveals nothing internal, and is logged with the request id', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await service.store.close()
    const response = await service.get(rootsUrl(projectId))
    const body = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(body).not.toMatch(/select|sqlite|database|node:|\.ts|proofsheet-test/i)
    const id = response.headers.get('x-request-id') ?? 'none'
    expect(service.logLines.some((line) => line.includes(id) && line.includes('"level":50'))).toBe(true)
    for (const name of ['etag', 'link']) expect(response.headers.get(name)).toBeNull()
  })
})

describe('a Host header', () => {
  test('that is missing, repeated or not a host name is 400, as a problem', async () => {
    const service = await startService({ AUTH: 'keys' })
    for (const hosts of [
      '',
      'Host: localhost\r\nHost: evil.example\r\n',
      'Host: x@localhost\r\n',
      'Host: a:99999\r\n',
      'Host: \r\n',
    ]) {
      const answer = await send(service, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
      expect([hosts, answer]).toEqual([
        hosts,
        expect.stringMatching(/^HTTP\/1.1 400 .*"code":"bad_request"/s),
      ])
    }
  })

  test('with another name is refused with advice for a proxy', async () => {
    const service = await startService()
    const answer = await send(service, 'GET /docs HTTP/1.1\r\nHost: backend\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 403 .*"backend is neither .*PUBLIC_URL.*proxy_set_header Host \$host/s)
  })

  test('may be omitted in HTTP/1.0, as by health checks; URLs then have the address of the service', async () => {
    const service = await startService()
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId)
    expect(await send(service, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(service, `GET ${rootsUrl(projectId)} HTTP/1.0\r\n\r\n`)).toContain(
      `"data":"${service.url}/images/`,
    )
  })

  test('omitted over IPv6 gives URLs with the address in brackets', async (context) => {
    const service = await startService({ HOST: '::1' }).catch(() => undefined)
    if (!service) return context.skip('this machine has no IPv6')
    const projectId = await makeProject(service.store)
    await addRows(service.store, projectId)
    const { port } = new URL(service.url)
    const answer = await send(service, `GET ${rootsUrl(projectId)} HTTP/1.0\r\n\r\n`, '::1')
    expect(answer).toContain(`"data":"http://[::1]:${port}/images/`)
  })

  test('is overridden by the host of an absolute target', async () => {
    const service = await startService()
    const ask = (target: string, host: string) =>
      send(service, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await ask('http://evil.example/healthz', 'localhost')).toMatch(/^HTTP\/1.1 403 /)
    expect(await ask('http://localhost/healthz', 'evil.example')).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask('http://localhost', 'localhost')).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask('http://localhost/nothing', 'localhost')).toMatch(/^HTTP\/1.1 404 /)
  })

  test('with another name is refused without required keys (DNS rebinding)', async () => {
    const service = await startService()
    for (const host of [
      'evil.example',
      'evil.example:80',
      '10.0.0.1',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      const { status, body } = await rawGet(service, '/healthz', { host })
      expect([host, status]).toEqual([host, 403])
      expect(JSON.parse(body)).toMatchObject({ code: 'host_not_allowed' })
    }
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:8080', '[::1]:9', 'app.localhost']) {
      expect([host, (await rawGet(service, '/healthz', { host })).status]).toEqual([host, 200])
    }
  })

  test('with the host of PUBLIC_URL is accepted', async () => {
    const service = await startService({ PUBLIC_URL: 'https://shots.example.com/base' })
    expect((await rawGet(service, '/healthz', { host: 'shots.example.com' })).status).toBe(200)
  })
})
