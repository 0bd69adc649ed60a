import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startService, type TestService } from '../support/http/service.ts'
import {
  addPictures,
  makeKey,
  makePng,
  makeProject,
  rootsUrl,
  submittedJob,
} from '../support/store/results.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const OWN = { 'sec-fetch-site': 'same-origin' }

function asking(service: TestService, headers: Record<string, string> = {}) {
  return async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && JSON_TYPE), ...headers, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** Signs in, and returns the cookie as the browser sends it back. */
async function signIn(service: TestService, key: string, before: Record<string, string> = {}) {
  const answer = await asking(service, { ...OWN, ...before })('POST', '/api/session', { key })
  expect(answer.status).toBe(200)
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
}

test('an admin key can create, rename and remove projects, and create and revoke keys; the log has each change', async () => {
  const service = await startService({ AUTH: 'keys' })
  const { secret, keyId } = await makeKey(service.store)
  const ask = asking(service, { authorization: `Bearer ${secret}` })
  const made = await ask('POST', '/api/projects', { name: ' My site ' })
  expect(made).toMatchObject({ status: 201, body: { name: 'My site' } })
  const { projectId } = made.body
  const path = `/api/projects/${projectId}`
  expect(made.headers.get('location')).toBe(service.url + path)
  expect((await ask('POST', '/api/projects', { name: 'Again', projectId })).status).toBe(409)

  const { headers } = await ask('GET', path)
  const version = headers.get('etag') ?? ''
  expect(await ask('PUT', path, { name: 'Ours' }, { 'if-match': version })).toMatchObject({
    status: 200,
    body: { name: 'Ours' },
  })
  expect((await ask('PUT', path, { name: 'Late' }, { 'if-match': version })).status).toBe(412)
  expect((await ask('DELETE', path, undefined, { 'if-match': version })).status).toBe(412)

  const key = await ask('POST', '/api/keys', { scope: 'write', projectId, label: 'CI' })
  expect(key).toMatchObject({ status: 201, body: { scope: 'write', projectId, label: 'CI' } })
  expect(key.headers.get('cache-control')).toBe('no-store')
  const theirs = asking(service, { authorization: key.body.key })
  expect((await theirs('GET', path)).status).toBe(200)
  const listed = await ask('GET', `/api/keys?project=${projectId}`)
  const { key: _, ...shown } = key.body
  expect(listed.body).toEqual([shown])
  expect((await ask('GET', '/api/keys?limit=1')).headers.get('link')).toMatch(/rel="next"/)

  const other = await ask('POST', '/api/keys', { scope: 'read', projectId })
  expect((await ask('DELETE', `/api/keys/${other.body.keyId}`)).status).toBe(204)
  expect((await asking(service, { authorization: other.body.key })('GET', path)).status).toBe(401)
  expect((await ask('DELETE', '/api/keys/nothing')).status).toBe(404)

  const { rootId } = await addPictures(service, projectId, { jobs: [submittedJob(await makePng())] })
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await theirs('GET', path)).status).toBe(401)
  expect((await ask('DELETE', path)).status).toBe(404)
  await expect.poll(async () => await service.store.findRoot(projectId, rootId)).toBeUndefined()

  const acts = service.logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => / (a project|a key)$/.test(msg))
  expect(acts.map(({ msg, key }) => [msg, key])).toEqual(
    [
      'created a project',
      'renamed a project',
      'created a key',
      'created a key',
      'revoked a key',
      'removed a project',
    ].map((msg) => [msg, keyId]),
  )
  const secrets = [secret, key.body.key, other.body.key]
  expect(service.logLines.filter((line) => secrets.some((each) => line.includes(each)))).toEqual([])
})

test('other keys cannot administrate; a wrong request names its mistakes', async () => {
  const service = await startService({ AUTH: 'keys' })
  const projectId = await makeProject(service.store)
  const { secret: writing } = await makeKey(service.store, projectId, 'write')
  const { secret } = await makeKey(service.store)
  const [theirs, ours] = [
    asking(service, { authorization: writing }),
    asking(service, { authorization: secret }),
  ]
  for (const [method, path] of [
    ['POST', '/api/projects'],
    ['PUT', `/api/projects/${projectId}`],
    ['DELETE', `/api/projects/${projectId}`],
    ['GET', '/api/keys'],
    ['POST', '/api/keys'],
    ['DELETE', '/api/keys/x'],
  ] as const) {
    const refused = await theirs(method, path, method === 'GET' ? undefined : {})
    expect([method, path, refused.status]).toEqual([method, path, 403])
  }
  for (const [path, body, pointer] of [
    ['/api/keys', { scope: 'write' }, '#/projectId'],
    ['/api/keys', { scope: 'write', projectId: 'x' }, '#/projectId'],
    ['/api/keys', { scope: 'read', projectId: randomUUID() }, '#/projectId'],
    ['/api/keys', { scope: 'admin', projectId }, '#/projectId'],
    ['/api/keys', { scope: 'owner' }, '#/scope'],
    ['/api/projects', { name: ' ' }, '#/name'],
    ['/api/projects', { name: 'x', projectId: 'x' }, '#/projectId'],
  ] as const) {
    const refused = await ours('POST', path, body)
    expect([body, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([body, 400, pointer])
  }
})

test('a session can have several keys: the best one for a project counts until it is revoked', async () => {
  const service = await startService({ AUTH: 'keys' })
  const [first, second, third] = [
    await makeProject(service.store),
    await makeProject(service.store),
    await makeProject(service.store),
  ]
  const reading = await makeKey(service.store, first)
  const writing = await makeKey(service.store, second, 'write')
  const one = await signIn(service, reading.secret)
  const both = await signIn(service, writing.secret, one)
  const ask = asking(service, both)
  const projects = async () =>
    (await ask('GET', '/api/projects')).body.map(({ projectId }: { projectId: string }) => projectId).sort()
  expect(await projects()).toEqual([first, second].sort())
  const may = async (projectId: string) => (await ask('POST', `/api/projects/${projectId}`, {}, OWN)).status
  expect([await may(first), await may(second), await may(third)]).toEqual([403, 400, 404])
  expect((await ask('GET', '/api/session')).body).toMatchObject({
    isAdmin: false,
    keys: [{ keyId: reading.keyId }, { keyId: writing.keyId }],
  })
  // The header takes precedence over the cookie.
  expect((await ask('GET', rootsUrl(first), undefined, { authorization: writing.secret })).status).toBe(404)
  await service.store.revokeKey(writing.keyId, 1)
  expect(await projects()).toEqual([first])
  expect((await ask('GET', rootsUrl(second))).status).toBe(404)
  service.now += 30 * 86_400_000
  expect((await ask('GET', rootsUrl(first))).status).toBe(401)
  expect((await ask('GET', '/api/session')).body).toEqual({ auth: 'keys', keys: [], isAdmin: false })
})

test('signing out removes one key from a session, or all; the cookie is only sent to this service and from this site', async () => {
  const service = await startService({ AUTH: 'keys', PUBLIC_URL: 'https://shots.example.com' })
  const projectId = await makeProject(service.store)
  const [one, two] = [await makeKey(service.store, projectId), await makeKey(service.store)]
  const answer = await asking(service, OWN)('POST', '/api/session', { key: one.secret, stay: true })
  const set = answer.headers.get('set-cookie') ?? ''
  expect(set).toMatch(
    /^__Host-proofsheet=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/,
  )
  expect(set).not.toContain(one.secret)
  const cookie = { cookie: set.split(';')[0] ?? '' }
  // Adding a key keeps the session persistent.
  const added = await asking(service, { ...cookie, ...OWN })('POST', '/api/session', { key: two.secret })
  expect(added.headers.get('set-cookie')).toMatch(/; Max-Age=2592000$/)
  const session = await signIn(service, two.secret, cookie)
  const left = await asking(service, { ...session, ...OWN })('DELETE', `/api/session/${one.keyId}`)
  expect(left.body).toMatchObject({ isAdmin: true, keys: [{ keyId: two.keyId }] })
  const none = await asking(service, { ...session, ...OWN })('DELETE', '/api/session')
  expect(none.body.keys).toEqual([])
  expect(none.headers.get('set-cookie')).toMatch(/^__Host-proofsheet=; .*Max-Age=0$/)
})

test('a page of another site changes nothing, neither with a cookie nor without required keys', async () => {
  const service = await startService({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store)
  const ask = asking(service, await signIn(service, secret))
  const own = new URL(service.url).origin
  const open = await startService()
  const askOpen = asking(open)
  const elsewhere = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: own },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  for (const headers of elsewhere) {
    expect([headers, (await ask('POST', '/api/projects', { name: 'x' }, headers)).status]).toEqual([
      headers,
      403,
    ])
    expect([headers, (await askOpen('POST', '/api/projects', { name: 'x' }, headers)).status]).toEqual([
      headers,
      403,
    ])
    expect((await asking(service)('POST', '/api/session', { key: secret }, headers)).status).toBe(403)
  }
  // With a cookie, the origin must be certain. A program without a cookie is not a browser.
  expect((await ask('POST', '/api/projects', { name: 'x' })).status).toBe(403)
  expect((await ask('POST', '/api/projects', { name: 'x' }, { origin: own })).status).toBe(201)
  expect((await ask('POST', '/api/projects', { name: 'x' }, OWN)).status).toBe(201)
  expect((await askOpen('POST', '/api/projects', { name: 'x' })).status).toBe(201)
  expect((await askOpen('GET', '/api/session')).body).toEqual({ auth: 'open', keys: [], isAdmin: true })
  const everyone = asking(await startService({ AUTH: 'open-to-everyone' }))
  expect((await everyone('POST', '/api/projects', { name: 'x' })).status).toBe(403)
})

test('/docs redirects a browser to the sign-in page, refuses a program with 401, and is shown to a session', async () => {
  const service = await startService({ AUTH: 'keys' })
  const { secret } = await makeKey(service.store)
  const html = { accept: 'text/html,*/*;q=0.8' }
  const sent = await asking(service, html)('GET', '/docs')
  expect([sent.status, sent.headers.get('location')]).toEqual([302, 'sign-in?to=docs'])
  expect((await asking(service)('GET', '/docs')).status).toBe(401)
  expect((await asking(service, { ...html, authorization: 'wrong' })('GET', '/docs')).status).toBe(401)
  const cookie = await signIn(service, secret)
  for (const path of ['/docs', '/openapi.json'])
    expect((await asking(service, { ...html, ...cookie })('GET', path)).status).toBe(200)
})

test('wrong keys are refused and counted, in a header or when signing in; answers to other origins never allow cookies', async () => {
  const service = await startService({
    AUTH: 'keys',
    RATE_LIMIT: '3/1m',
    CORS_ORIGINS: 'https://app.example.com',
  })
  const ask = asking(service, OWN)
  const statuses: number[] = []
  for (let tries = 0; tries < 2; tries++) {
    statuses.push((await ask('GET', '/api/projects', undefined, { authorization: 'psk_x' })).status)
    statuses.push((await ask('POST', '/api/session', { key: 'psk_x' })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 429])
  const read = await asking(service)('GET', '/api/session', undefined, { origin: 'https://app.example.com' })
  expect(read.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  expect(read.headers.get('access-control-allow-credentials')).toBeNull()
})
