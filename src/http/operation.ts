import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Schema } from '../contract/schema.ts'
import type { ErrorCode } from '../errors.ts'
import type { DescribedOperation, TagName } from './answers/openapi.ts'
import { problemResponses } from './answers/responses.ts'
import type { Access, HttpContext, Server } from './context.ts'
import { clientOf } from './rules/client-of.ts'
import { createReadJson } from './rules/read-json.ts'

export type OperationRequest<P, Q> = FastifyRequest & { readonly params: P; readonly query: Q }

/** The name of its schema, and how the JSON is read: in the turn of the client. */
interface BodyOf<B> {
  readonly schema: string
  read(json: unknown): B
  /** The value if there is no body. Without it, a body is required. */
  readonly absent?: unknown
}

/** How it is described in `/openapi.json`. Failures that follow from the rest are added. */
interface Description {
  readonly id: string
  readonly tag: TagName
  readonly summary: string
  readonly description: string
  readonly answers: Readonly<Record<number, object>>
  /** Failures beyond the usual ones. */
  readonly fails?: readonly ErrorCode[]
}

interface Declared<P, Q, B> {
  /** By default `read`: every key of the project. */
  readonly access?: Access
  /** A browser without a key is redirected to the sign-in page. */
  readonly leadsToSignIn?: true
  /** By default GET and HEAD. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly params?: Schema<P>
  readonly query?: Schema<Q>
  readonly header?: keyof typeof HEADERS
  /** It is small, but writes or causes work: requests of one client are spaced out. */
  readonly isPaced?: true
  /** `ignored`: JSON may be sent, and says nothing. */
  readonly body?: BodyOf<B> | 'ignored'
  run(request: OperationRequest<P, Q>, reply: FastifyReply, body: B): unknown
}

/** One path with one method. Without a description, it is not part of the documented API. */
export type Operation<P = unknown, Q = unknown, B = undefined> = Declared<P, Q, B> &
  (Description | { readonly id?: undefined })

export type Declare = <P, Q, B = undefined>(operation: Operation<P, Q, B>) => void

/**
 * Takes the declarations of all operations, and returns their descriptions. Those with a body belong to a scope of their own: it takes
 * nothing but JSON.
 */
export async function declareAll(
  server: Server,
  context: HttpContext,
  declareEach: (declare: Declare) => void,
): Promise<DescribedOperation[]> {
  const described: DescribedOperation[] = []
  await server.register(async (inner) => {
    const scope = inner as Server
    const readJson = createReadJson(scope, context)
    declareEach((operation) => {
      const {
        method = ['GET', 'HEAD'],
        path,
        access = 'read',
        leadsToSignIn,
        isPaced,
        query,
        body,
        run,
      } = operation
      described.push(...[describedAs(operation) ?? []].flat())
      const config = { access, ...(leadsToSignIn && { leadsToSignIn }) }
      const route = { method, url: path, config, ...(query && { schema: { querystring: query } }) }
      type Asked = Parameters<typeof run>[0]
      type Given = Parameters<typeof run>[2]
      const act = async (request: Asked, reply: FastifyReply, given: Given) => {
        if (isPaced) await context.pace.wait(clientOf(request), ACT_MS)
        return await run(request, reply, given)
      }
      if (!body) {
        // As it is: the function that answers one root must not be awaited a second time.
        const handler = isPaced ? act : run
        server.route({
          ...route,
          handler: (request, reply) => handler(request as Asked, reply, undefined as Given),
        })
        return
      }
      const { read, absent } = body === 'ignored' ? IGNORED : body
      scope.route({
        ...route,
        handler: async (request, reply) => {
          const given = await readJson(request, reply, read as (json: unknown) => Given, { absent })
          return await act(request as Asked, reply, given)
        },
      })
    })
  })
  return described
}

/** Fifty in a second. Nobody signs in, creates keys or tests webhooks more often. */
const ACT_MS = 20

const IGNORED = { read: () => undefined, absent: {} }

const HEADERS = {
  'If-Match': 'The `ETag` that was read. If it has changed since, nothing is changed, and the answer is 412.',
  'Idempotency-Key':
    'Any string that is new for each request. If a request is repeated with the same string, nothing is captured again, and the first answer is repeated.',
  'Last-Event-ID': 'The `id` of the last event seen.',
}

/** How an operation is described. Undefined: it is not part of the documented API. */
function describedAs<P, Q, B>(operation: Operation<P, Q, B>): DescribedOperation | undefined {
  if (operation.id === undefined) return undefined
  const { id, tag, summary, description, answers, access, method = 'GET', path } = operation
  const { params, query, header, body } = operation
  const scope = access === 'write' || access === 'admin' ? `Needs a key with the scope \`${access}\`.` : ''
  return {
    ...{ id, tag, summary, method, path, params, query },
    description: [description, scope].filter(Boolean).join(' '),
    security: access === 'everyone' ? [] : access === 'metrics' ? [{ metrics: [] }] : undefined,
    headers: header && headerSchema(header),
    body: body && body !== 'ignored' ? body.schema : undefined,
    answers: { ...answers, ...problemResponses(...failuresOf(operation)) },
  }
}

function headerSchema(name: keyof typeof HEADERS): Schema {
  const text = { type: 'string', description: HEADERS[name] }
  return { type: 'object', properties: { [name.toLowerCase()]: text } } as Schema
}

/** Failures that follow from the access that an operation needs, and from its input. */
function failuresOf<P, Q, B>(operation: Operation<P, Q, B> & Description): Set<ErrorCode> {
  const { access = 'read', method, params, query, header, body, fails = [] } = operation
  const isOpen = access === 'everyone' || access === 'metrics'
  const writes = access === 'write' || access === 'admin'
  const usual: (ErrorCode | false | undefined)[] = [
    (query || body || header === 'Idempotency-Key') && 'bad_request',
    access !== 'everyone' && 'unauthorized',
    (writes || (access === 'session' && method !== undefined)) && 'forbidden',
    params && !isOpen && access !== 'session' && 'not_found',
    ...(body ? (['request_timeout', 'too_large', 'unsupported_media_type'] as const) : []),
    header === 'If-Match' && 'precondition_failed',
    header === 'Idempotency-Key' && 'conflict',
    !isOpen && 'rate_limited',
    !isOpen && 'unavailable',
    writes && method !== undefined && 'storage_full',
  ]
  return new Set([...usual.filter((code) => code), ...fails] as ErrorCode[])
}

/** One line for everything that was created, changed, removed or run, with the id of the key. */
export function logAct(
  request: FastifyRequest,
  act: string,
  what: Readonly<Record<string, string | undefined>>,
): void {
  request.log.info({ reqId: request.id, ...(request.apiKey && { key: request.apiKey.keyId }), ...what }, act)
}
