import type { SwaggerOptions } from '@fastify/swagger'
import { paths } from '../../contract/paths.ts'
import type { HttpContext, Server } from '../context.ts'
import type { ApiDocument } from './docs-page.ts'

/** Raise it with every addition. The paths are frozen. */
const API_VERSION = '1.6.0'

/** In the order of the documentation. */
const TAGS = [
  { name: 'Results', description: 'Finished screenshots, with signed addresses of their pictures.' },
  { name: 'Browsing', description: 'The same results, for people.' },
  { name: 'Capturing', description: 'Request screenshots, and read their status.' },
  { name: 'Templates', description: 'Requests that are kept, to be run again.' },
  { name: 'Schedules', description: 'Requests that run again by themselves.' },
  { name: 'Webhooks', description: 'Tell another server what happened.' },
  { name: 'Downloads', description: 'Pictures as files.' },
  { name: 'Access', description: 'Projects, keys, and the session of a browser.' },
  { name: 'Images', description: 'What the signed addresses lead to.' },
  { name: 'Operating', description: 'For operators.' },
] as const

export type TagName = (typeof TAGS)[number]['name']

export function openApiInfo({ config }: HttpContext): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'proofsheet',
        version: API_VERSION,
        description:
          'Screenshots of the pages of a project: requested, captured, and served with signed addresses.',
      },
      tags: [...TAGS],
      servers: [{ url: config.publicUrl ?? '/' }],
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
      },
      security: config.auth === 'keys' ? [{ key: [] }] : [],
    },
    // OpenAPI has no wildcards in paths. The key of an image has two parts.
    transform: ({ schema, url }) => ({
      schema,
      url: url === `${paths.images}*` ? `${paths.images}:projectId/:file` : url,
    }),
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema${index}`),
    },
  }
}

/** Without HEAD: every GET has one, and the id of an operation must be unique. */
export function describeApi(server: Server): ApiDocument {
  const document = server.swagger() as ApiDocument
  const described = Object.entries(document.paths ?? {}).map(([path, { head: _, ...methods }]) => [
    path,
    methods,
  ])
  const components = { ...document.components, schemas: shareSchemas(document.components?.schemas ?? {}) }
  return { ...document, paths: Object.fromEntries(described), components }
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
