import type { SwaggerOptions } from '@fastify/swagger'
import type { HttpContext, Server } from '../context.ts'
import type { ApiDocument } from './docs-page.ts'

/** Raised with every addition; the paths themselves are frozen. */
const API_VERSION = '1.4.0'

export function openApiInfo({ config }: HttpContext): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'proofsheet',
        version: API_VERSION,
        description:
          'Screenshots of the pages of a project: asked for, captured, and served with signed addresses.',
      },
      servers: [{ url: config.publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of the project. `Authorization: <key>` works too.',
          },
          metrics: { type: 'http', scheme: 'bearer', description: 'The `METRICS_TOKEN` of the operator.' },
        },
      },
      security: config.auth === 'keys' ? [{ key: [] }] : [],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema${index}`),
    },
  }
}

/** Without HEAD: it stands beside every GET, and an operation's id may be used once. */
export function describeApi(server: Server): ApiDocument {
  const document = server.swagger() as ApiDocument
  const paths = Object.entries(document.paths ?? {}).map(([path, { head: _, ...methods }]) => [path, methods])
  return { ...document, paths: Object.fromEntries(paths) }
}
