import type { SwaggerOptions } from '@fastify/swagger'
import { paths } from '../../contract/paths.ts'
import type { HttpContext, Server } from '../context.ts'
import type { ApiDocument } from './docs-page.ts'
import { shareSchemas } from './shared-schemas.ts'

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
