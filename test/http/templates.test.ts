import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RootOverview } from '../../src/contract/browsing.ts'
import type { Template } from '../../src/contract/templates.ts'
import { jobIdOf, refusal, UUID, withoutRequestId } from '../support/http/request-answers.ts'
import { bothDatabases, finishNext, newPage, readStatus } from '../support/http/requests.ts'
import { newTemplate, startTemplating, type Templating } from '../support/http/templates.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()

const get = async (service: Templating, { templateId }: Template) => {
  const response = await service.ask('GET', `/${templateId}`)
  return { template: (await response.json()) as Template, etag: response.headers.get('etag') ?? '' }
}

describe.each(bothDatabases(postgres))('templates (%s)', (_, world) => {
  test('are created, read, changed, run and removed', async () => {
    const service = await startTemplating(await world())
    const made = await service.ask('POST', '', newTemplate({ failOn: 'status' }))
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const template = (await made.json()) as Template
    const { templateId } = template
    const times = { created: service.now, changed: service.now }
    expect(template).toEqual({
      templateId: expect.stringMatching(UUID),
      ...newTemplate({ failOn: 'status' }),
      ...times,
    })
    expect(made.headers.get('location')).toBe(
      `${service.url}/api/projects/${service.projectId}/templates/${templateId}`,
    )
    expect(await get(service, template)).toEqual({ template, etag: made.headers.get('etag') })

    service.now += 1_000
    const change = newTemplate({ name: 'Weekly', urls: [newPage(), newPage(1)] })
    const changed = await service.ask('PUT', `/${templateId}`, change)
    expect(await changed.json()).toEqual({ templateId, ...change, ...times, changed: service.now })
    expect(changed.headers.get('etag')).not.toBe(made.headers.get('etag'))

    const run = await service.ask('POST', `/${templateId}`, {})
    const rootId = await jobIdOf(run)
    expect([run.status, run.headers.get('location')]).toEqual([
      201,
      `${service.url}${rootsUrl(service.projectId)}/${rootId}`,
    ])
    expect(await readStatus(service, rootId)).toMatchObject({ templateId, counts: { total: 2, queued: 2 } })
    const shown = await get(service, template)
    expect(shown.template.last).toEqual({ rootId, created: service.now, state: 'queued' })
    expect(shown.etag).toBe(changed.headers.get('etag'))
    await finishNext(service.store, rootId)
    const list = (await (await service.ask('GET')).json()) as Template[]
    expect(list).toMatchObject([{ templateId, name: 'Weekly', last: { rootId, state: 'running' } }])
    expect((await fetch(list[0]?.last?.preview ?? '')).status).toBe(404)
    expect(list[0]?.last?.preview).toMatch(/-preview\.png\?/)

    const removed = await service.ask('DELETE', `/${templateId}`)
    expect([removed.status, await removed.text()]).toEqual([204, ''])
    expect((await service.ask('GET', `/${templateId}`)).status).toBe(404)
    expect(await readStatus(service, rootId)).toMatchObject({ templateId })
    const acts = service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg?.startsWith('template'))
    expect(acts.map(({ msg, templateId, rootId }) => [msg, templateId, rootId])).toEqual([
      ['template created', templateId, undefined],
      ['template changed', templateId, undefined],
      ['template run', templateId, rootId],
      ['template removed', templateId, undefined],
    ])
  })

  test('filter both lists of roots, in list pages of any size', async () => {
    const service = await startTemplating(await world())
    const { templateId } = await service.make()
    const mine: string[] = []
    for (let index = 0; index < 3; index++) {
      service.now += 1_000
      mine.unshift(await jobIdOf(await service.ask('POST', `/${templateId}`)))
      await service.accept()
    }
    const read = async (path: string) => {
      const ids: string[] = []
      let next: string | undefined = `${service.url}${path}`
      while (next) {
        const response: Response = await fetch(next)
        for (const each of (await response.json()) as RootOverview[]) {
          ids.push(each.rootId)
          if (path.includes('overview')) expect(each.templateId).toBe(templateId)
        }
        next = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1]
      }
      return ids
    }
    const overview = `/api/projects/${service.projectId}/screenshots/overview`
    expect(await read(`${overview}?limit=1&template=${templateId}`)).toEqual(mine)
    expect(await read(`${rootsUrl(service.projectId)}?limit=2&template=${templateId.toUpperCase()}`)).toEqual(
      mine,
    )
    expect(await read(`${rootsUrl(service.projectId)}?template=${templateId}`)).toEqual(mine)
    for (const other of [randomUUID(), 'x', '%00', "'"])
      expect(await read(`${rootsUrl(service.projectId)}?template=${other}`)).toEqual([])
    expect(await read(`${rootsUrl(service.projectId)}?template=`)).toHaveLength(6)
  })

  test('keep their secrets, which only their runs see', async () => {
    const service = await startTemplating(await world())
    const headers = { authorization: 'Bearer 9f31' }
    const template = await service.make({ screenshotParameter: { width: 800, height: 600, headers } })
    const { templateId } = template
    expect(template.screenshotParameter.headers).toEqual({ authorization: '' })
    const { created: _, changed: __, templateId: ___, ...body } = template
    const response = await service.ask('PUT', `/${templateId}`, { ...body, name: 'Same secrets' })
    expect([response.status, await response.json()]).toMatchObject([200, { name: 'Same secrets' }])
    await service.ask('POST', `/${templateId}`)
    const task = await service.store.captures.takeNext({ now: service.now, leaseMs: 1_000 })
    expect([task?.options.headers, task?.sealed]).toEqual([{ authorization: '' }, expect.any(String)])
    const elsewhere = { ...body, urls: [{ url: 'https://evil.example/', name: 'Evil' }] }
    expect(await refusal(await service.ask('PUT', `/${templateId}`, elsewhere))).toEqual([
      ...[400, 'bad_request', '#/screenshotParameter/headers/authorization'],
    ])
    expect(await refusal(await service.ask('POST', `/${templateId}`, { urls: elsewhere.urls }))).toEqual([
      ...[400, 'bad_request', '#/urls/0/url'],
    ])
    expect(service.logLines.join('')).not.toContain('9f31')
  })
})

describe('a run of a template', () => {
  test('with kept secrets does not reveal whether a guess is right', async () => {
    const service = await startTemplating()
    const asked = (authorization: string) => ({
      screenshotParameter: { width: 800, height: 600, headers: { authorization } },
      urls: [newPage()],
    })
    const { templateId } = await service.make(asked('Bearer 9f31'))
    const key = { 'idempotency-key': 'k' }
    const rootId = await jobIdOf(await service.ask('POST', `/${templateId}`, {}, key))
    expect(await jobIdOf(await service.ask('POST', `/${templateId}`, {}, key))).toBe(rootId)
    const guess = async (text: string) => {
      const { status } = await fetch(`${service.url}/api/projects/${service.projectId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...key },
        body: JSON.stringify(asked(text)),
      })
      return status
    }
    expect([await guess('Bearer 0000'), await guess('Bearer 9f31')]).toEqual([409, 409])
    const { templateId: mine } = await service.make(asked('Bearer 9f31'))
    expect((await service.ask('POST', `/${mine}`, {}, key)).status).toBe(409)
    for (const text of ['Bearer 0000', 'Bearer 9f31']) {
      await service.ask('PUT', `/${templateId}`, { name: 'With a guess', ...asked(text) })
      expect((await service.ask('POST', `/${templateId}`, {}, key)).status).toBe(409)
    }
  })

  test('does not reveal the length of kept secrets, nor does a change', async () => {
    const service = await startTemplating()
    const parameter = { width: 800, height: 600 }
    const urls = [newPage()]
    const longest = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`x${at}`, 'a'.repeat(4_096)]))
    const answers = new Set<string>()
    for (const authorization of ['short', 'long'.repeat(1_000)]) {
      const { templateId } = await service.make({
        screenshotParameter: { ...parameter, headers: { authorization } },
        urls,
      })
      const probe = { ...parameter, headers: { authorization: '', ...longest } }
      const response = await service.ask('PUT', `/${templateId}`, {
        name: 'x',
        urls,
        screenshotParameter: probe,
      })
      const { errors } = (await response.json()) as { errors: unknown }
      answers.add(JSON.stringify([response.status, errors]))
    }
    expect([...answers]).toEqual([expect.stringMatching(/^\[400/)])
  })

  test.each([
    ['no body', {}],
    ['no body with the type JSON', { headers: { 'content-type': 'application/json' } }],
    [
      'no body with the type JSON in UTF-8',
      { headers: { 'content-type': 'application/json;charset=utf-8' } },
    ],
    ['an empty object', { headers: { 'content-type': 'application/json' }, body: '{}' }],
    [
      'empty values in every field',
      {
        headers: { 'content-type': 'application/json' },
        body: '{"urls":[],"scheduledTs":null,"scheduleDescription":{}}',
      },
    ],
  ])('accepts %s', async (_, request) => {
    const service = await startTemplating()
    const { templateId } = await service.make()
    const address = `${service.url}/api/projects/${service.projectId}/templates/${templateId}`
    const rootId = await jobIdOf(await fetch(address, { method: 'POST', ...request }))
    expect(await readStatus(service, rootId)).toMatchObject({ urls: [newPage()] })
  })

  test('from a web page of another site is refused, and from the gallery is not', async () => {
    const service = await startTemplating()
    const { templateId } = await service.make()
    const run = async (headers: Record<string, string>, body?: unknown) =>
      (await service.ask('POST', `/${templateId}`, body, headers)).status
    expect(await run({ origin: 'https://evil.example' })).toBe(403)
    expect(await run({ origin: 'null' })).toBe(403)
    expect(await run({ origin: service.url })).toBe(201)
    expect(await run({ 'content-type': 'text/plain' })).toBe(415)
  })

  test('can replace the pages, and can begin later', async () => {
    const service = await startTemplating()
    const { templateId } = await service.make({
      screenshotParameter: { width: 300, height: 200, tags: ['x'] },
    })
    const urls = [{ ...newPage(7), width: 100 }]
    const run = async (more: object) =>
      await readStatus(service, await jobIdOf(await service.ask('POST', `/${templateId}`, more)))
    expect(await run({ urls, scheduledTs: service.now + 60_000 })).toMatchObject({
      ...{ templateId, tags: ['x'], scheduled: service.now + 60_000 },
      options: { width: 300, height: 200 },
      urls: [{ ...newPage(7), options: { width: 100 } }],
    })
    expect(await run({ scheduleDescription: { value: 5, unit: 'm' } })).toMatchObject({
      scheduled: service.now + 300_000,
    })
    expect(await run({ scheduledTs: service.now - 1 })).not.toHaveProperty('scheduled')
  })

  test('that is repeated with its Idempotency-Key is not done twice', async () => {
    const service = await startTemplating()
    const { templateId } = await service.make()
    const run = (key: string, body: object = {}) =>
      service.ask('POST', `/${templateId}`, body, { 'idempotency-key': key })
    const first = await jobIdOf(await run('k'))
    expect(await jobIdOf(await run('k'))).toBe(first)
    expect(await jobIdOf(await run('l'))).not.toBe(first)
    expect(await refusal(await run('k', { urls: [newPage(9)] }))).toEqual([409, 'conflict'])
    expect(await refusal(await run('ä'.repeat(3)))).toEqual([400, 'bad_request', 'Idempotency-Key'])
  })

  test('with a guess is no repetition of a run with the kept secret, right or wrong', async () => {
    const service = await startTemplating()
    const page = { ...newPage(), headers: { 'x-mark': 'right' } }
    const { templateId } = await service.make({ urls: [page] })
    const run = (body: object) => service.ask('POST', `/${templateId}`, body, { 'idempotency-key': 'k' })
    const first = await jobIdOf(await run({}))
    for (const guess of ['wrong', 'right']) {
      const urls = [{ ...page, headers: { 'x-mark': guess } }]
      expect(await refusal(await run({ urls }))).toEqual([409, 'conflict'])
    }
    expect(await jobIdOf(await run({}))).toBe(first)
  })

  test('with secrets is no repetition of a run with another key, whether they are right or wrong', async () => {
    const service = await startTemplating({ AUTH: 'keys' })
    const [owner, other] = [
      await makeKey(service.store, service.projectId, 'write'),
      await makeKey(service.store, service.projectId, 'write'),
    ]
    const as = ({ secret }: { secret: string }) => ({
      authorization: `Bearer ${secret}`,
      'idempotency-key': 'k',
    })
    const made = await service.ask('POST', '', newTemplate(), as(owner))
    const { templateId } = (await made.json()) as Template
    const run = (by: { secret: string }, mark: string) => {
      const urls = [{ ...newPage(), headers: { 'x-mark': mark } }]
      return service.ask('POST', `/${templateId}`, { urls }, as(by))
    }
    const first = await jobIdOf(await run(owner, 'right'))
    for (const guess of ['wrong', 'right'])
      expect(await refusal(await run(other, guess))).toEqual([409, 'conflict'])
    expect(await jobIdOf(await run(owner, 'right'))).toBe(first)
  })

  test('reports all mistakes at once', async () => {
    const service = await startTemplating()
    const { templateId } = await service.make()
    const run = async (body: unknown) => await refusal(await service.ask('POST', `/${templateId}`, body))
    expect(await run({ name: 'x', urls: [{ url: 'x' }], scheduledTs: 1_794_710_277 })).toEqual([
      ...[400, 'bad_request', '#/name', '#/urls/0/url', '#/urls/0/name', '#/scheduledTs'],
    ])
    expect(await run([])).toEqual([400, 'bad_request', '#'])
  })
})

describe('a wrong template', () => {
  test('gets all mistakes at once, like a request', async () => {
    const service = await startTemplating()
    const wrong = {
      name: '',
      scheduledTs: 1_794_710_277_698,
      screenshotParameter: {
        width: 0,
        height: 720,
        loginParameter: { username: { elementId: '#u', username: '' } },
      },
      urls: [{ url: 'ftp://x', name: 'x' }],
    }
    const pointers = [
      ...['#/scheduledTs', '#/name', '#/screenshotParameter/width'],
      ...['username/username', 'password', 'loginButton'].map(
        (each) => `#/screenshotParameter/loginParameter/${each}`,
      ),
      '#/urls/0/url',
    ]
    expect(await refusal(await service.ask('POST', '', wrong))).toEqual([400, 'bad_request', ...pointers])
    const { templateId } = await service.make()
    expect(await refusal(await service.ask('PUT', `/${templateId}`, wrong))).toEqual([
      400,
      'bad_request',
      ...pointers,
    ])
    for (const body of [null, 1, 'x', [], {}, { name: 'x', urls: {} }])
      expect((await service.ask('PUT', `/${templateId}`, body)).status).toBe(400)
    expect(await refusal(await service.ask('POST'))).toEqual([400, 'bad_request', '#'])
  })

  test('gets the secrets that must be given again beside its other mistakes, each once', async () => {
    const service = await startTemplating()
    const screenshotParameter = (authorization: string) => ({
      ...{ width: 800, height: 600, headers: { authorization } },
    })
    const { templateId } = await service.make({ screenshotParameter: screenshotParameter('s3cret') })
    const urls = [{ url: 'https://evil.example/', name: 'Evil' }]
    const wrong = newTemplate({ name: '', urls, screenshotParameter: screenshotParameter('') })
    expect(await refusal(await service.ask('PUT', `/${templateId}`, wrong))).toEqual([
      ...[400, 'bad_request', '#/screenshotParameter/headers/authorization', '#/name'],
    ])
  })

  test('is refused if it is one too many', async () => {
    const service = await startTemplating({ MAX_TEMPLATES: '1' })
    await service.make()
    expect(await refusal(await service.ask('POST', '', newTemplate()))).toEqual([409, 'conflict'])
  })
})

test('If-Match is respected for changes and removals, and `*` matches', async () => {
  const service = await startTemplating()
  const template = await service.make()
  const { etag } = await get(service, template)
  const at = `/${template.templateId}`
  const change = async (ifMatch: string) =>
    (await service.ask('PUT', at, newTemplate(), { 'if-match': ifMatch })).status
  const remove = async (ifMatch: string) =>
    await refusal(await service.ask('DELETE', at, undefined, { 'if-match': ifMatch }))
  expect(await change(`"other", ${etag}`)).toBe(200)
  expect(await change(etag)).toBe(412)
  expect(await remove(etag)).toEqual([412, 'precondition_failed'])
  expect(await change(`W/${(await get(service, template)).etag}`)).toBe(412)
  expect(await change('*')).toBe(200)
  const now = (await get(service, template)).etag
  expect((await service.ask('DELETE', at, undefined, { 'if-match': now })).status).toBe(204)
})

test('an unknown, a malformed and a foreign template get the same answer from every operation', async () => {
  const service = await startTemplating()
  const { templateId } = await service.make()
  const other = { ...service, projectId: await makeProject(service.store) }
  for (const [method, body] of [['GET'], ['PUT', newTemplate()], ['DELETE'], ['POST', {}]] as const) {
    const address = (projectId: string, id: string) =>
      `${service.url}/api/projects/${projectId}/templates/${id}`
    const answers = await Promise.all(
      [
        address(service.projectId, randomUUID()),
        address(service.projectId, 'x'),
        address(other.projectId, templateId),
        address(randomUUID(), templateId),
        address('x', templateId),
      ].map(async (url) =>
        withoutRequestId(
          await fetch(url, {
            method,
            ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
          }),
        ),
      ),
    )
    expect(answers[0]?.[0]).toBe(404)
    expect(new Set(answers.map(String)).size).toBe(1)
  }
})

test('a key that can only read sees templates, and changes nothing', async () => {
  const service = await startTemplating({ AUTH: 'keys' })
  const write = await makeKey(service.store, service.projectId, 'write')
  const read = await makeKey(service.store, service.projectId)
  const as = (key: { secret: string }) => ({ authorization: `Bearer ${key.secret}` })
  const made = await service.ask('POST', '', newTemplate(), as(write))
  const { templateId } = (await made.json()) as Template
  expect((await service.ask('GET', '', undefined, as(read))).status).toBe(200)
  expect((await service.ask('GET', `/${templateId}`, undefined, as(read))).status).toBe(200)
  for (const [method, after, body] of [
    ['POST', '', newTemplate()],
    ['PUT', `/${templateId}`, newTemplate()],
    ['DELETE', `/${templateId}`],
    ['POST', `/${templateId}`, {}],
  ] as const) {
    expect(await refusal(await service.ask(method, after, body, as(read)))).toEqual([403, 'forbidden'])
    expect((await service.ask(method, after, body)).status).toBe(401)
  }
  const [line] = service.logLines.filter((each) => each.includes('template created'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ key: write.keyId })
})

test('a list has list pages, newest first, and large templates are complete', async () => {
  const service = await startTemplating()
  const css = 'a'.repeat(9_000)
  const urls = Array.from({ length: 10 }, (_, index) => ({ ...newPage(index), css }))
  const made: string[] = []
  for (let index = 0; index < 4; index++) {
    service.now += 1
    made.unshift((await service.make({ urls })).templateId)
  }
  const whole = (await (await service.ask('GET')).json()) as Template[]
  expect(whole.map(({ templateId }) => templateId)).toEqual(made)
  expect(whole[3]?.urls).toEqual(urls)
  const first = await service.ask('GET', '?limit=3')
  expect(((await first.json()) as Template[]).length).toBe(3)
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(await (await fetch(next)).json()).toMatchObject([{ templateId: made[3] }])
  expect((await service.ask('GET', '?cursor=x')).status).toBe(400)
  expect((await service.ask('GET', `/${made[0]}`)).status).toBe(200)
  expect((await service.ask('PUT', `/${made[0]}`, newTemplate({ urls }))).status).toBe(200)
})
