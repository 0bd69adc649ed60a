import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ParamsOf } from '../contract/paths.ts'
import type { Schema } from '../contract/schema.ts'
import type { RequestLimits } from '../contract/screenshot-request.ts'
import type { ErrorCode } from '../errors.ts'
import { whenClosed } from './answers/when-closed.ts'
import { type Access, clientOf, type HttpContext, type Server } from './context.ts'
import { createReadJson } from './rules/read-json.ts'

export type OperationRequest<Path extends string, Query> = FastifyRequest & {
  readonly params: ParamsOf<Path>
  readonly query: Query
}

/** The name of its schema, and how the JSON is read: in the turn of the client. */
interface BodyOf<B> {
  readonly schema: string
  readonly read: (json: unknown) => B
  /** The value if there is no body. Without it, a body is required. */
  readonly absent?: unknown
}

/** How it is described in `/openapi.json`. Failures that follow from the rest are added. */
interface Description {
  readonly id: string
  /** Its chapter. By default that of the others of its file. */
  readonly tag?: string
  readonly summary: string
  readonly description?: string
  readonly answers: Readonly<Record<number, object>>
  /** Failures beyond the usual ones. */
  readonly fails?: readonly ErrorCode[]
}

interface Declared<Path extends string, Query, Body> {
  /** By default every key of the project may read, and keys with the scope `write` may do the rest. */
  readonly access?: Access
  /** A browser without a key is redirected to the sign-in page. */
  readonly leadsToSignIn?: true
  /** By default GET and HEAD. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Its parameters may be any text: a malformed id gets the same answer as an unknown id. */
  readonly path: Path
  readonly query?: Schema<Query>
  readonly header?: 'If-Match' | 'Idempotency-Key' | 'Last-Event-ID'
  /** It is small, but writes or causes work: requests of one client are spaced out. */
  readonly isPaced?: true
  /** `ignored`: JSON may be sent, and says nothing. */
  readonly body?: BodyOf<Body> | 'ignored'
  run(request: OperationRequest<Path, Query>, reply: FastifyReply, body: Body): unknown
}

/** One path with one method. Without a description, it is not part of the documented API. */
type Operation<Path extends string, Query, Body> = Declared<Path, Query, Body> &
  (Description | { readonly id?: undefined })

export type DescribedOperation = Declared<string, unknown, unknown> &
  Description & { readonly tag: string; readonly access: Access }

export type Declare = <const Path extends string, Query, Body = undefined>(
  operation: Operation<Path, Query, Body>,
) => void

/** Everything that people can do with something that projects own, as the documentation shows it. */
export interface Chapter {
  readonly name: string
  readonly description: string
  /** The schemas that its operations name, with examples. */
  schemas(limits: RequestLimits): readonly Schema[]
  readonly declare: (declare: Declare, context: HttpContext) => void
}

/** Returns the operations that are described. Those with a body belong to a scope of their own: it takes nothing but JSON. */
export async function declareAll(
  server: Server,
  context: HttpContext,
  declareEach: (declareIn: (tag?: string) => Declare) => void,
): Promise<DescribedOperation[]> {
  const described: DescribedOperation[] = []
  await server.register(async (scope) => {
    const readJson = createReadJson(scope, context)
    declareEach((tag) => (operation) => {
      const { method = ['GET', 'HEAD'], path, leadsToSignIn, query, body } = operation
      const { access = method.includes('GET') ? 'read' : 'write' } = operation
      if (operation.id !== undefined) described.push({ tag, access, ...operation } as DescribedOperation)
      const config = { access, ...(leadsToSignIn && { leadsToSignIn }) }
      const route = { method, url: path, config, ...(query && { schema: { querystring: query } }) }
      const run = operation.run as (request: FastifyRequest, reply: FastifyReply, body: unknown) => unknown
      const act: typeof run = async (request, reply, given) => {
        await context.pace.wait(clientOf(request), ACT_MS, whenClosed(reply.raw))
        return await run(request, reply, given)
      }
      const begin = operation.isPaced ? act : run
      if (!body) {
        // Not async: the function that answers one root must not be awaited a second time.
        server.route({ ...route, handler: (request, reply) => begin(request, reply, undefined) })
        return
      }
      const given: BodyOf<unknown> = body === 'ignored' ? IGNORED : body
      scope.route({
        ...route,
        handler: async (request, reply) => await begin(request, reply, await readJson(request, reply, given)),
      })
    })
  })
  return described
}

/** Fifty in a second. Nobody signs in, creates keys or tests webhooks more often. */
const ACT_MS = 20

const IGNORED = { schema: '', read: () => undefined, absent: {} }

/** One line for everything that was created, changed, removed or run, with the id of the key. */
export function logAct(
  request: FastifyRequest,
  act: string,
  what: Readonly<Record<string, string | undefined>>,
): void {
  request.log.info({ reqId: request.id, ...(request.apiKey && { key: request.apiKey.keyId }), ...what }, act)
}
