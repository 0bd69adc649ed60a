import type { Schema } from '../../contract/schema.ts'
import type { HttpContext } from '../context.ts'
import type { ApiDocument } from './docs-page.ts'

/** Raise it with every addition. The paths are frozen. */
const API_VERSION = '1.6.0'

/** In the order of the documentation. */
const TAGS = [
  { name: 'Results', description: 'Finished screenshots, with signed addresses of their pictures.' },
  { name: 'Browsing', description: 'The same results, for people.' },
  { name: 'Capturing', description: 'Request screenshots, and read their status.' },
  { name: 'Templates', description: 'Stored requests, to be run again.' },
  { name: 'Schedules', description: 'Requests that run repeatedly, at fixed times.' },
  { name: 'Webhooks', description: 'Notifies other servers of events.' },
  { name: 'Downloads', description: 'Pictures as files.' },
  { name: 'Access', description: 'Projects, keys, and the session of a browser.' },
  { name: 'Images', description: 'Picture files, at their signed URLs.' },
  { name: 'Operating', description: 'For operators.' },
] as const

export type TagName = (typeof TAGS)[number]['name']

/** An operation, as far as the document describes it. */
export interface DescribedOperation {
  readonly id: string
  readonly tag: TagName
  readonly summary: string
  readonly description: string
  /** The keys that open it. Undefined: those of the whole document. */
  readonly security: readonly object[] | undefined
  readonly method: string
  readonly path: string
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  readonly headers?: Schema | undefined
  /** The name of its schema. */
  readonly body?: string | undefined
  readonly answers: Readonly<Record<number, object>>
}

/** Made from the declarations of the operations. `schemas` have names (`$id`), by which operations refer to them. */
export function describeApi(
  operations: readonly DescribedOperation[],
  schemas: readonly Schema[],
  { config }: Pick<HttpContext, 'config'>,
): ApiDocument {
  const named = Object.fromEntries(
    schemas.map((schema) => [String(schema['$id']), withReferences(schema) as Json]),
  )
  const paths = Map.groupBy(operations, ({ path }) => pathOf(path))
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
        Object.fromEntries(all.map((each) => [each.method.toLowerCase(), describe(each)])),
      ]),
    ),
    servers: [{ url: config.publicUrl ?? '/' }],
    security: config.auth === 'keys' ? [{ key: [] }] : [],
    tags: TAGS,
  } as ApiDocument
}

/** OpenAPI has no wildcards in paths. The key of an image has two parts. */
function pathOf(path: string): string {
  return path.replace(/\*$/, ':projectId/:file').replaceAll(/:(\w+)/g, '{$1}')
}

function describe(operation: DescribedOperation): Json {
  const { id, summary, tag, description, params, query, headers, body, security, answers } = operation
  const parameters = [
    ...parametersOf('query', query),
    ...parametersOf('path', params),
    ...parametersOf('header', headers),
  ]
  return {
    ...{ operationId: id, summary, tags: [tag], description },
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: referenceTo(body) } } },
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(security && { security }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer as Json)]),
    ),
  }
}

function parametersOf(place: 'query' | 'path' | 'header', schema: Schema | undefined): Json[] {
  const required = (schema?.['required'] ?? []) as readonly string[]
  return Object.entries((schema?.['properties'] ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property
    const isRequired = place === 'path' || required.includes(name)
    return { schema: withReferences(rest), in: place, name, required: isRequired, description }
  })
}

/** An answer says what it contains, or is a schema. Of `null` there is no body. */
function describeAnswer({ description, headers, ...answer }: Json): Json {
  const schema = { ...answer, description }
  const content =
    answer['content'] ?? (answer['type'] === 'null' ? undefined : { 'application/json': { schema } })
  const described = Object.entries((headers ?? {}) as Record<string, Json>).map(([name, header]) => {
    const { description: words, ...schema } = header
    return [name, { schema, description: words }]
  })
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(content !== undefined && { content: withReferences(content) }),
  }
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

/** Options with many fields or values. Their schema is in the document once, under this name. */
const NAMES: Readonly<Record<string, string>> = {
  device: 'Device',
  effects: 'Effects',
  loginParameter: 'LoginParameter',
  headers: 'Headers',
  cookies: 'Cookies',
  clicks: 'Clicks',
}

type Json = Readonly<Record<string, unknown>>

/**
 * Several schemas have the same options: a request, its pages, and answers that show them. Points all of them at one schema.
 * An option with other limits elsewhere stays as it is there.
 */
export function shareSchemas<T extends object>(schemas: Readonly<Record<string, T>>): Record<string, object> {
  const shared = new Map<string, { readonly text: string; readonly schema: Json }>()
  const share = (name: string, schema: Json): unknown => {
    const component = NAMES[name]
    if (component === undefined) return walk(schema)
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
