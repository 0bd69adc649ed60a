import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KnownProject, ProjectIds, Visitor } from '../access/door.ts'
import { type paths, pathTo } from '../contract/paths.ts'
import { createListPageQuery, ProjectParams } from '../contract/requests.ts'
import { type Schema, Type } from '../contract/schema.ts'
import type { ErrorCode } from '../errors.ts'
import type { Answer, Asked, AskedForMuch } from '../results/answer.ts'
import { msOfBytes } from '../shares/pace.ts'
import { otherWork } from '../work/other-work.ts'
import type { TagName } from './answers/openapi.ts'
import { linkHeaders, linkNext } from './answers/responses.ts'
import { askedForMuch, sendAnswer, wholeAnswer } from './answers/send-answer.ts'
import type { HttpContext } from './context.ts'
import { type Declare, logAct } from './operation.ts'
import { clientOf } from './rules/client-of.ts'
import { etagOf, expectedRevision } from './rules/if-match.ts'
import { originOf } from './rules/origin.ts'
import { LARGE } from './rules/read-json.ts'

/** A row that a project owns. Its revision changes when people change it. */
export interface Owned {
  readonly projectId: string
  readonly revision: string
}

interface Words {
  readonly summary: string
  readonly description: string
  /** The description of the answer. */
  readonly answer: string
  /** Failures beyond the usual ones. */
  readonly fails?: readonly ErrorCode[]
}

type Path = (typeof paths)[keyof typeof paths]

/** Something that a project owns, and that people list, create, read, change and remove. */
export interface Resource<Row extends Owned, Ids extends ProjectIds> {
  /** Its field `<name>Id` has its id; its schemas begin with the name in upper case. */
  readonly name: 'template' | 'schedule' | 'webhook'
  readonly tag: TagName
  /** Who may read it. */
  readonly access?: 'read' | 'write'
  readonly paths: { readonly all: Path; readonly one: Path }
  readonly ids: Schema<Ids>
  readonly schemaOfList: Schema
  /** When its `ETag` changes. */
  readonly changesWith: string
  readonly words: Readonly<Record<'list' | 'create' | 'get' | 'change' | 'remove', Words>>
  /** Throws `not_found`. */
  find(ids: Ids, visitor: Visitor): Promise<Row>
  list(project: KnownProject, page: ListPage, asked: AskedForMuch): Promise<Answer>
  /** `body`: any JSON. */
  create(projectId: string, body: unknown): Promise<Row>
  /** `revision`: it must still have it. */
  change(row: Row, body: unknown, revision: string | undefined): Promise<Row>
  remove(row: Row, revision: string | undefined): Promise<void>
  /** As JSON. */
  render(row: Row, asked: Asked): Promise<Buffer>
}

export interface ListPage {
  readonly limit: number
  readonly cursor: string | undefined
}

/** How one of them is answered, in all operations that answer it. */
export type SendOne<Row> = (row: Row, request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Declares the five operations. */
export function declareResource<Row extends Owned, Ids extends ProjectIds>(
  declare: Declare,
  context: HttpContext,
  resource: Resource<Row, Ids>,
): { readonly send: SendOne<Row>; readonly answers: (description: string) => object } {
  const { name, tag, access = 'read', paths, ids, words } = resource
  const { config, clock, door, pace, turns } = context
  const maxLimit = config.limits.listPage
  const schema = name[0]?.toUpperCase() + name.slice(1)
  const keyOf = (row: Row) => ({
    projectId: row.projectId,
    [`${name}Id`]: String(row[`${name}Id` as keyof Row]),
  })
  const answers = (description: string, headers = {}) => ({
    description,
    headers: {
      ETag: Type.String({
        description: `Send it back in \`If-Match\`. It changes with ${resource.changesWith}.`,
      }),
      ...headers,
    },
    content: { 'application/json': { schema: { $ref: `${schema}#` } } },
  })
  const send: SendOne<Row> = async (row, request, reply) => {
    await otherWork()
    const json = await resource.render(row, { now: clock(), origin: originOf(request, context) })
    reply.header('etag', etagOf(row))
    await sendAnswer(wholeAnswer(json), request, reply, context)
  }

  declare({
    ...{ id: `list${schema}s`, tag, path: paths.all, access },
    ...words.list,
    params: ProjectParams,
    query: createListPageQuery(maxLimit),
    answers: {
      200: {
        description: words.list.answer,
        headers: linkHeaders,
        content: { 'application/json': { schema: resource.schemaOfList } },
      },
    },
    async run(request, reply) {
      const { limit = maxLimit, cursor } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await door.getProject(request.params, request.apiKey)
      const answer = await resource.list(project, { limit, cursor }, asked)
      // Requests may have a megabyte, and collecting them would delay others.
      const { length = 0 } = answer.whole?.() ?? {}
      if (length > LARGE) await pace.wait(clientOf(request), msOfBytes(length))
      const address = asked.origin + pathTo(paths.all, project.projectId)
      linkNext(reply, address, { limit, cursor: answer.nextCursor })
      return await sendAnswer(answer, request, reply, context)
    },
  })
  declare({
    ...{ id: `create${schema}`, tag, method: 'POST', path: paths.all, access: 'write' },
    ...words.create,
    params: ProjectParams,
    body: { schema: `${schema}Request`, read: (any) => any },
    answers: {
      201: answers(words.create.answer, {
        Location: Type.String({ description: `The address of the ${name}.` }),
      }),
    },
    async run(request, reply, body) {
      const { projectId } = await door.getProject(request.params, request.apiKey)
      const made = await turns.run(clientOf(request), () => resource.create(projectId, body))
      const key = keyOf(made)
      logAct(request, `${name} created`, key)
      const path = pathTo(paths.one, ...Object.values(key))
      reply.code(201).header('location', originOf(request, context) + path)
      return await send(made, request, reply)
    },
  })
  declare({
    ...{ id: `get${schema}`, tag, path: paths.one, access },
    ...words.get,
    params: ids,
    answers: { 200: answers(words.get.answer) },
    async run(request, reply) {
      return await send(await resource.find(request.params, request.apiKey), request, reply)
    },
  })
  declare({
    ...{ id: `change${schema}`, tag, method: 'PUT', path: paths.one, access: 'write' },
    ...words.change,
    params: ids,
    header: 'If-Match',
    body: { schema: `${schema}Request`, read: (any) => any },
    answers: { 200: answers(words.change.answer) },
    async run(request, reply, body) {
      const before = await resource.find(request.params, request.apiKey)
      const revision = expectedRevision(request, before)
      const changed = await turns.run(clientOf(request), () => resource.change(before, body, revision))
      logAct(request, `${name} changed`, keyOf(changed))
      return await send(changed, request, reply)
    },
  })
  declare({
    ...{ id: `remove${schema}`, tag, method: 'DELETE', path: paths.one, access: 'write' },
    ...words.remove,
    params: ids,
    header: 'If-Match',
    answers: { 204: Type.Null({ description: words.remove.answer }) },
    async run(request, reply) {
      const before = await resource.find(request.params, request.apiKey)
      await resource.remove(before, expectedRevision(request, before))
      logAct(request, `${name} removed`, keyOf(before))
      return await reply.code(204).send(null)
    },
  })
  return { send, answers }
}
