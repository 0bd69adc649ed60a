import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Ids, type KnownProject, openProject, requireId } from '../access/door.ts'
import { ownedPaths, pathTo } from '../contract/paths.ts'
import { createListQueries } from '../contract/requests.ts'
import type { Schema } from '../contract/schema.ts'
import type { ErrorCode } from '../errors.ts'
import type { Answer, Asked, AskedForMuch } from '../results/answer.ts'
import { msOfBytes } from '../shares/pace.ts'
import { otherWork } from '../work/other-work.ts'
import { header, json, linkHeaders, linkNext } from './answers/responses.ts'
import { askedForMuch, sendAnswer } from './answers/send-answer.ts'
import { whenClosed } from './answers/when-closed.ts'
import { clientOf, type HttpContext } from './context.ts'
import { type Declare, logAct } from './operation.ts'
import { etagOf, expectedRevision } from './rules/if-match.ts'
import { originOf } from './rules/origin.ts'
import { LARGE } from './rules/read-json.ts'

interface Words {
  readonly description: string
  /** If the usual summary does not fit. */
  readonly summary?: string
  /** The description of the answer, if the usual one does not fit. */
  readonly answer?: string
  readonly fails?: readonly ErrorCode[]
}

type OwnedKey<Name extends string> = Ids<`${Name}Id`>
type Owned<Name extends string> = OwnedKey<Name> & { readonly revision: string }

/** Something that a project owns, and that people list, create, read and remove. Its revision changes when they change it. */
interface Resource<Name extends string, Row extends Owned<Name>> {
  /** Its field `<name>Id` has its id; its paths are `ownedPaths(name)`; its schemas begin with the name in upper case. */
  readonly name: Name
  /** Who may read it. */
  readonly access?: 'read' | 'write'
  readonly schemaOfList: Schema
  /** When its `ETag` changes. */
  readonly changesWith: string
  readonly words: Readonly<Record<'list' | 'create' | 'get' | 'change' | 'remove', Words>>
  readonly use: Use<Name, Row>
  list(project: KnownProject, page: ListPage, asked: AskedForMuch): Promise<Answer>
  /** As JSON. */
  render(row: Row, asked: Asked): Promise<Buffer>
}

/** What people do with them. A `body` is any JSON, and a row must still have the `revision`. */
interface Use<Name extends string, Row> {
  /** Throws `not_found`. */
  readonly get: (key: OwnedKey<Name>) => Promise<Row>
  readonly create: (projectId: string, body: unknown) => Promise<Row>
  readonly change: (row: Row, body: unknown, revision?: string) => Promise<Row>
  readonly remove: (row: Row, revision?: string) => Promise<void>
}

interface ListPage {
  readonly limit: number
  readonly cursor: string | undefined
}

/** Declares the five operations. Others use what it returns: they find one, and answer it. */
export function declareResource<Name extends string, Row extends Owned<Name>>(
  declare: Declare,
  context: HttpContext,
  resource: Resource<Name, Row>,
) {
  const { name, access = 'read', use } = resource
  const words = {
    list: { summary: `List the ${name}s of a project`, answer: `The ${name}s.`, ...resource.words.list },
    create: {
      ...{ summary: `Create a ${name}`, answer: `The ${name}.`, fails: ['conflict'] as const },
      ...resource.words.create,
    },
    get: { summary: `Get one ${name}`, answer: `The ${name}.`, ...resource.words.get },
    change: { summary: `Change a ${name}`, answer: `The changed ${name}.`, ...resource.words.change },
    remove: { summary: `Remove a ${name}`, answer: 'It is removed.', ...resource.words.remove },
  }
  const { config, clock, door, pace, turns } = context
  const maxLimit = config.limits.listPage
  const paths: Record<'all' | 'one', string> = ownedPaths(name)
  const schema = name[0]?.toUpperCase() + name.slice(1)
  const id = `${name}Id`
  const keyOf = (row: Row) => ({ projectId: row.projectId, [id]: String(row[id as keyof Row]) })
  const answers = (description: string, headers = {}) =>
    json(description, schema, {
      ETag: header(`Send it back in \`If-Match\`. It changes with ${resource.changesWith}.`),
      ...headers,
    })
  const find = async ({ params, apiKey }: FastifyRequest): Promise<Row> => {
    const given = params as Ids & Readonly<Record<string, string>>
    const projectId = openProject(given.projectId, apiKey)
    return await use.get({ projectId, [id]: requireId(given[id] ?? '') } as unknown as OwnedKey<Name>)
  }
  const send = async (row: Row, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await otherWork()
    const body = await resource.render(row, { now: clock(), origin: originOf(request, context) })
    reply.header('etag', etagOf(row))
    await sendAnswer({ body: () => body }, request, reply, context)
  }

  declare({
    ...{ id: `list${schema}s`, path: paths.all, access },
    ...words.list,
    query: createListQueries(maxLimit).plain,
    answers: { 200: json(words.list.answer, resource.schemaOfList, linkHeaders) },
    async run(request, reply) {
      const { limit = maxLimit, cursor } = request.query
      const asked = askedForMuch(request, reply, context)
      const project = await door.getProject(request.params as Ids, request.apiKey)
      const answer = await resource.list(project, { limit, cursor }, asked)
      // Requests may have a megabyte, and collecting them would delay others.
      const body = answer.body()
      if (Buffer.isBuffer(body) && body.length > LARGE)
        await pace.wait(clientOf(request), msOfBytes(body.length), whenClosed(reply.raw))
      const address = asked.origin + pathTo(paths.all, project.projectId)
      linkNext(reply, address, { limit, cursor: answer.nextCursor })
      return await sendAnswer(answer, request, reply, context)
    },
  })
  declare({
    ...{ id: `create${schema}`, method: 'POST', path: paths.all },
    ...words.create,
    body: { schema: `${schema}Request`, read: (any) => any },
    answers: {
      201: answers(words.create.answer, { Location: header(`The address of the ${name}.`) }),
    },
    async run(request, reply, body) {
      const { projectId } = await door.getProject(request.params as Ids, request.apiKey)
      const made = await turns.run(clientOf(request), () => use.create(projectId, body))
      const key = keyOf(made)
      logAct(request, `${name} created`, key)
      const path = pathTo(paths.one, ...Object.values(key))
      reply.code(201).header('location', originOf(request, context) + path)
      return await send(made, request, reply)
    },
  })
  declare({
    ...{ id: `get${schema}`, path: paths.one, access },
    ...words.get,
    answers: { 200: answers(words.get.answer) },
    async run(request, reply) {
      return await send(await find(request), request, reply)
    },
  })
  declare({
    ...{ id: `change${schema}`, method: 'PUT', path: paths.one },
    ...words.change,
    header: 'If-Match',
    body: { schema: `${schema}Request`, read: (any) => any },
    answers: { 200: answers(words.change.answer) },
    async run(request, reply, body) {
      const before = await find(request)
      const revision = expectedRevision(request, before)
      const changed = await turns.run(clientOf(request), () => use.change(before, body, revision))
      logAct(request, `${name} changed`, keyOf(changed))
      return await send(changed, request, reply)
    },
  })
  declare({
    ...{ id: `remove${schema}`, method: 'DELETE', path: paths.one },
    ...words.remove,
    header: 'If-Match',
    answers: { 204: { description: words.remove.answer } },
    async run(request, reply) {
      const before = await find(request)
      await use.remove(before, expectedRevision(request, before))
      logAct(request, `${name} removed`, keyOf(before))
      return await reply.code(204).send(null)
    },
  })
  return { find, send, answers }
}
