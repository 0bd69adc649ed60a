import type { Schema } from '../../contract/schema.ts'
import { describeFailure, type ErrorCode } from '../../errors.ts'
import type { HttpContext } from '../context.ts'
import type { Chapter, DescribedOperation } from '../operation.ts'
import { API_VERSION, chaptersWith, createNamedSchemas } from './api.ts'
import type { ApiDocument } from './docs-page.ts'

/** Made from the declarations of the operations. */
export function describeApi(
  operations: readonly DescribedOperation[],
  resources: readonly Chapter[],
  { config }: HttpContext,
): ApiDocument {
  const named = Object.fromEntries(
    createNamedSchemas(config.limits, resources).map((schema) => [
      String(schema['$id']),
      withReferences(schema) as Json,
    ]),
  )
  const paths = Map.groupBy(operations, ({ path }) => bare(path).replaceAll(/:(\w+)/g, '{$1}'))
  return {
    openapi: '3.1.0',
    info: {
      title: 'proofsheet',
      version: API_VERSION,
      description:
        'Screenshots of the pages of a project: requested, captured, and served with signed addresses.',
    },
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of the project, or one for the whole service. `Authorization: <key>` works too.',
        },
        metrics: { type: 'http', scheme: 'bearer', description: 'The `METRICS_TOKEN` of the operator.' },
      },
      schemas: shareSchemas(named),
    },
    paths: Object.fromEntries(
      [...paths].map(([path, all]) => [
        path,
        Object.fromEntries(all.map((each) => [(each.method ?? 'GET').toLowerCase(), describe(each)])),
      ]),
    ),
    servers: [{ url: config.publicUrl ?? '/' }],
    security: config.auth === 'keys' ? [{ key: [] }] : [],
    tags: chaptersWith(resources),
  } as ApiDocument
}

/** OpenAPI has no wildcards in paths. The key of an image has two parts. */
function bare(path: string): string {
  return path.replace(/\*$/, ':projectId/:file')
}

/** Parameters of paths whose name does not say all. */
const PARAMETERS: Readonly<Record<string, string>> = {
  jobId: 'The root (UUID), as returned in `rootId`.',
  uuid: 'The job (UUID), as returned in `uuid`.',
  keyId: 'The id of the key, as in lists and log lines.',
  file: '`<uuid>.png` or `<uuid>-preview.png`',
}

const HEADERS = {
  'If-Match': 'The `ETag` that was read. If it has changed since, nothing is changed, and the answer is 412.',
  'Idempotency-Key':
    'Any string that is new for each request. If a request is repeated with the same string, nothing is captured again, and the first answer is repeated.',
  'Last-Event-ID': 'The `id` of the last event seen.',
} as const satisfies Record<NonNullable<DescribedOperation['header']>, string>

function describe(operation: DescribedOperation): Json {
  const { id, summary, tag, description, access, path, query, header, body, answers } = operation
  const scope = access === 'write' || access === 'admin' ? `Needs a key with the scope \`${access}\`.` : ''
  const security = access === 'everyone' ? [] : access === 'metrics' ? [{ metrics: [] }] : undefined
  const schema = { type: 'string' }
  const parameters = [
    ...parametersOf(query),
    ...bare(path)
      .matchAll(/:(\w+)/g)
      .map(([, name = '']) => ({
        ...{ schema, in: 'path', name, required: true },
        description: PARAMETERS[name] ?? `The ${name.replace(/Id$/, '')} (UUID).`,
      })),
    ...(header
      ? [{ schema, in: 'header', name: header.toLowerCase(), required: false, description: HEADERS[header] }]
      : []),
  ]
  return {
    ...{ operationId: id, summary, tags: [tag], description: [description, scope].filter(Boolean).join(' ') },
    ...(body &&
      body !== 'ignored' && {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: referenceTo(body.schema) } },
        },
      }),
    ...(parameters.length > 0 && { parameters }),
    ...(security && { security }),
    responses: withReferences({ ...answers, ...problemResponses(failuresOf(operation)) }),
  }
}

function parametersOf(query: Schema = {}): Json[] {
  const required = (query['required'] ?? []) as readonly string[]
  return Object.entries((query['properties'] ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property
    return { schema: withReferences(rest), in: 'query', name, required: required.includes(name), description }
  })
}

/** Failures that follow from the access that an operation needs, and from its input. */
function failuresOf(operation: DescribedOperation): Set<ErrorCode> {
  const { access, method, path, query, header, body, fails = [] } = operation
  const isOpen = access === 'everyone' || access === 'metrics'
  const writes = access === 'write' || access === 'admin'
  const usual: (ErrorCode | false | undefined)[] = [
    (query || body || header === 'Idempotency-Key') && 'bad_request',
    access !== 'everyone' && 'unauthorized',
    (writes || (access === 'session' && method !== undefined)) && 'forbidden',
    path.includes(':') && !isOpen && access !== 'session' && 'not_found',
    ...(body ? (['request_timeout', 'too_large', 'unsupported_media_type'] as const) : []),
    header === 'If-Match' && 'precondition_failed',
    header === 'Idempotency-Key' && 'conflict',
    !isOpen && 'rate_limited',
    !isOpen && 'unavailable',
    writes && method !== undefined && 'storage_full',
  ]
  return new Set([...usual.filter((code) => code), ...fails] as ErrorCode[])
}

/** The failures an operation documents, by status. */
function problemResponses(codes: Set<ErrorCode>): Record<number, object> {
  // An operation that may find no space may also find a read-only storage.
  const all = [...codes].flatMap((code) => (code === 'storage_full' ? [code, 'read_only' as const] : [code]))
  const byStatus = Map.groupBy(all, (code) => describeFailure(code).status)
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => [
      status,
      {
        description: alike.map((code) => `\`${code}\`: ${describeFailure(code).title}.`).join(' '),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  )
}

function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

/** Schemas refer to each other by name: `Problem#`. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (!isObject(value)) return value
  const { $ref, $id: _, ...others } = value
  if (typeof $ref === 'string') return { ...others, ...referenceTo($ref.replace(/#$/, '')) }
  // Some generators of clients do not know `const`.
  return Object.fromEntries(
    Object.entries(others).map(([name, inner]) =>
      name === 'const' ? ['enum', [inner]] : [name, withReferences(inner)],
    ),
  )
}

/** Options with many fields or values. Their schema is in the document once, under their name in upper case. */
const SHARED = ['device', 'effects', 'loginParameter', 'headers', 'cookies', 'clicks']

type Json = Readonly<Record<string, unknown>>

/** Points schemas that have the same option at one schema. An option with other limits elsewhere stays as it is there. */
export function shareSchemas<T extends object>(schemas: Readonly<Record<string, T>>): Record<string, object> {
  const shared = new Map<string, { readonly text: string; readonly schema: Json }>()
  const share = (name: string, schema: Json): unknown => {
    if (!SHARED.includes(name)) return walk(schema)
    const component = name.charAt(0).toUpperCase() + name.slice(1)
    const text = JSON.stringify(schema)
    const first = shared.get(component) ?? { text, schema }
    shared.set(component, first)
    if (first.text !== text) return walk(schema)
    return { $ref: `#/components/schemas/${component}`, description: schema['description'] }
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const fields = Object.entries(value).map(([name, inner]) => {
      if (name !== 'properties' || !isObject(inner)) return [name, name === 'examples' ? inner : walk(inner)]
      const properties = Object.entries(inner)
      return [name, Object.fromEntries(properties.map(([key, schema]) => [key, share(key, schema as Json)]))]
    })
    return Object.fromEntries(fields)
  }
  // Its limits are those of the operator, so its options come first.
  walk(schemas['ScreenshotRequest'])
  const walked = Object.entries(schemas).map(([name, schema]) => [name, walk(schema)] as const)
  const others = [...shared].map(([name, { schema }]) => [name, schema] as const)
  return Object.fromEntries([...walked, ...others]) as Record<string, object>
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
