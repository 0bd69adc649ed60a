import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Document,
  fieldsOf,
  fitting,
  largest,
  ODD_CURSORS,
  ODD_IDS,
  ODD_JSON,
  ODD_TEXTS,
  type Operation,
  putAt,
} from '../support/http/odd-input.ts'
import { bothDatabases, startAccepting } from '../support/http/requests.ts'
import { rounds } from '../support/runner/rounds.ts'
import { usePostgres } from '../support/servers/use-servers.ts'
import { makeKey } from '../support/store/results.ts'
import { finishRoot } from '../support/store/webhooks.ts'

const postgres = usePostgres()

const PAGES = {
  screenshotParameter: { width: 100, height: 100 },
  urls: [{ url: 'https://example.com/', name: 'x' }],
}

/** Valid requests, by the name of their schema. */
const BODIES: Readonly<Record<string, unknown>> = {
  ProjectRequest: { name: 'x' },
  ScreenshotRequest: PAGES,
  TemplateRequest: { name: 'x', ...PAGES },
  TemplateRun: {},
  ScheduleRequest: { name: 'x', every: '1h', request: PAGES },
  SchedulePreviewRequest: { every: '1h' },
  KeyRequest: { scope: 'admin' },
  SignIn: { key: 'psk_x' },
  WebhookRequest: { name: 'x', url: 'https://example.com/', events: ['root.finished'] },
  ReplayRequest: { from: 1 },
}

interface Ask {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

/** A service with one of everything, and every request that its OpenAPI document describes. */
async function open(env: Record<string, string>) {
  const service = await startAccepting({ AUTH: 'keys', MAX_PAGES_WAITING: '1000000', ...env })
  const { store, projectId } = service
  const { secret } = await makeKey(store, undefined, 'admin')
  const authorization = `Bearer ${secret}`
  const call = async ({ method, path, body, headers }: Omit<Ask, 'name'>) => {
    const leaving = new AbortController()
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      signal: leaving.signal,
    })
    // Event streams never end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const text = isStream ? '' : await response.text()
    leaving.abort()
    return { status: response.status, text }
  }
  const make = async (path: string, body: unknown) => {
    const { status, text } = await call({ method: 'POST', path, body: JSON.stringify(body) })
    expect(status).toBe(201)
    return JSON.parse(text)
  }
  const under = `/api/projects/${projectId}`
  const ids: Record<string, string> = {
    projectId,
    uuid: randomUUID(),
    keyId: 'nobody',
    file: 'x.png',
    deliveryId: randomUUID(),
  }
  // Finished, so that its status with `wait` is answered at once.
  ids['jobId'] = await finishRoot(store, projectId)
  ids['templateId'] = (await make(`${under}/templates`, BODIES['TemplateRequest'])).templateId
  ids['scheduleId'] = (await make(`${under}/schedules`, BODIES['ScheduleRequest'])).scheduleId
  ids['webhookId'] = (await make(`${under}/webhooks`, BODIES['WebhookRequest'])).webhookId
  const { text } = await call({ method: 'GET', path: '/openapi.json' })
  const document = JSON.parse(text) as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return { call, document, operations, ids }
}

type Opened = Awaited<ReturnType<typeof open>>

function fill(path: string, ids: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no-${name}`)
}

function nameOf({ requestBody }: Operation): string | undefined {
  return requestBody?.content['application/json'].schema.$ref?.split('/').at(-1)
}

/** Every field of every body. Operations with the same body share the fields that lie deeper. */
function bodyFields({ operations, document, ids }: Opened) {
  const withBody = operations.filter(({ operation }) => nameOf(operation) !== undefined)
  return Object.entries(Object.groupBy(withBody, ({ operation }) => nameOf(operation) ?? '')).flatMap(
    ([name, same = []]) => {
      const body = BODIES[name]
      if (body === undefined) throw new Error(`a request for ${name} is missing here`)
      return fieldsOf(document.components.schemas[name] ?? {}, document).flatMap((field, index) =>
        same
          .filter((_, which) => field.path.length <= 1 || index % same.length === which)
          .map(({ path, method, operation }) => ({
            field,
            ask: (json: string): Ask => ({
              ...{ name: `${operation.operationId} ${field.path.join('.')}`, method, path: fill(path, ids) },
              body: putAt(body, field, json),
            }),
          })),
      )
    },
  )
}

/** Every parameter of every operation. Operations that remove something get no existing id. */
function* parameterAsks({ operations, document, ids }: Opened): Generator<Ask> {
  for (const { path, method, operation } of operations) {
    const there = method === 'DELETE' ? {} : ids
    const body = nameOf(operation)
    const ask = (name: string, query: string, more: Partial<Ask> = {}): Ask => ({
      ...{ name: `${operation.operationId} ${name}`, method, path: fill(path, there) + query },
      ...(body !== undefined && { body: JSON.stringify(BODIES[body]) }),
      ...more,
    })
    for (const { in: place, name, schema } of operation.parameters ?? []) {
      if (place === 'query') yield ask(name, `?${name}=1&${name}=`)
      const big = encodeURIComponent(String(largest(schema, document)))
      const texts = place === 'path' ? ODD_IDS : ODD_TEXTS
      for (const value of [...texts, ...(name === 'cursor' ? ODD_CURSORS : []), big]) {
        const text = value.slice(0, 4_000)
        if (place === 'query') yield ask(name, `?${name}=${text}`)
        if (place === 'path') yield ask(name, '', { path: fill(path, { ...there, [name]: text }) })
        if (place === 'header' && /^[\x20-\x7e]*$/.test(text))
          yield ask(name, '', { headers: { [name]: text } })
      }
    }
  }
}

describe.each(bothDatabases(postgres))('any input (%s)', (_engine, _shared, newWorld) => {
  /** Six at a time. */
  const expectNoFault = async ({ call }: Opened, asks: readonly Ask[]) => {
    const left = [...asks]
    const faults: unknown[] = []
    const work = async () => {
      for (let ask = left.pop(); ask; ask = left.pop()) {
        const { status, text } = await call(ask)
        if (status >= 500)
          faults.push([ask.name, ask.path.slice(0, 200), ask.body?.slice(0, 500), status, text])
      }
    }
    await Promise.all(Array.from({ length: 6 }, work))
    expect(faults).toEqual([])
  }

  test('of null, wrong types, odd texts and extreme values in any field causes no server error', async () => {
    const opened = await open(await newWorld())
    const fields = bodyFields(opened)
    expect(fields.length).toBeGreaterThan(100)
    // Null in each field, and one of the other values: all of them in all fields would take minutes.
    const asks = fields.flatMap(({ field, ask }, index) => {
      const fits = [fitting, largest].map((make) => JSON.stringify(make(field.schema, opened.document)))
      const values = [...ODD_JSON, ...fits]
      return [ask('null'), ask(values[(index * 5 + 3) % values.length] ?? '')]
    })
    await expectNoFault(opened, asks)
  })

  test('of odd parameters and headers causes no server error', async () => {
    const opened = await open(await newWorld())
    await expectNoFault(opened, [...parameterAsks(opened)])
  })

  test('property: of JSON in any field causes no server error', async () => {
    const opened = await open(await newWorld())
    const fields = bodyFields(opened)
    const value = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...fields), value), { maxLength: 20 }), (some) =>
        expectNoFault(
          opened,
          some.map(([{ ask }, json]) => ask(json)),
        ),
      ),
      { numRuns: rounds(20) },
    )
  })
})
