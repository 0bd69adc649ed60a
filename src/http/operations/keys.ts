import type { ApiKey } from '../../access/keys.ts'
import { type Key, KeyList, KeyRequest, type NewKey } from '../../contract/access.ts'
import { defined } from '../../contract/defined.ts'
import { parseId } from '../../contract/ids.ts'
import { paths } from '../../contract/paths.ts'
import { createListQueries } from '../../contract/requests.ts'
import { AppError, requireValid, wrongRequest } from '../../errors.ts'
import { json, linkHeaders, linkNext } from '../answers/responses.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'
import { originOf } from '../rules/origin.ts'

export function keys(declare: Declare, context: HttpContext): void {
  const { administration } = context
  const maxLimit = context.config.limits.listPage
  declare({
    id: 'listKeys',
    summary: 'List the keys',
    description: 'Oldest first, including revoked keys. The keys themselves are not stored.',
    access: 'admin',
    path: paths.keys,
    query: createListQueries(maxLimit).keys,
    answers: { 200: json('The keys.', KeyList, linkHeaders) },
    async run(request, reply) {
      const { limit = maxLimit, cursor, project } = request.query
      reply.header('cache-control', 'no-store')
      const projectId = project === undefined ? undefined : parseId(project)
      // A malformed id matches no project.
      if (project !== undefined && projectId === undefined) return await reply.send([])
      const { items, nextCursor } = await administration.listKeys({ projectId, limit, cursor })
      linkNext(reply, originOf(request, context) + paths.keys, { project, limit, cursor: nextCursor })
      return await reply.send(items.map(toKey))
    },
  })
  declare({
    id: 'createKey',
    summary: 'Create a key',
    description: 'The answer contains the key itself, which is not shown again.',
    access: 'admin',
    method: 'POST',
    path: paths.keys,
    isPaced: true,
    body: { schema: 'KeyRequest', read: readKeyRequest },
    answers: { 201: json('The new key.', 'NewKey') },
    async run(request, reply, asked) {
      const { key, secret } = await administration.createKey(asked).catch((error) => {
        const isUnknown = error instanceof AppError && error.code === 'not_found'
        throw isUnknown ? wrongProject('there is no such project') : error
      })
      logAct(request, 'created a key', { made: key.keyId, scope: key.scope, projectId: key.projectId })
      const answer: NewKey = { ...toKey(key), key: secret }
      return await reply.code(201).header('cache-control', 'no-store').send(answer)
    },
  })
  declare({
    id: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'It stops working with the next request, and so do sessions that use it. An operator without an admin key can create ' +
      'one on the command line.',
    access: 'admin',
    method: 'DELETE',
    path: paths.key,
    isPaced: true,
    answers: { 204: { description: 'It is revoked.' } },
    async run(request, reply) {
      const { keyId } = request.params
      await administration.revokeKey(keyId)
      logAct(request, 'revoked a key', { revoked: keyId })
      return await reply.code(204).send(null)
    },
  })
}

/** A key as it is shown: without the hash of its secret. */
export function toKey({ keyId, scope, projectId, label, created, revoked }: ApiKey): Key {
  return defined({ keyId, scope, projectId, label, created, revoked })
}

function readKeyRequest(body: unknown) {
  const { scope, projectId: text, label = '' } = requireValid(KeyRequest, body)
  if (scope === 'admin') {
    if (text !== undefined)
      throw wrongProject('must be left out: a key with the scope admin opens all projects')
    return { scope, projectId: undefined, label }
  }
  if (text === undefined) throw wrongProject(`is required for the scope ${scope}`)
  const projectId = parseId(text)
  if (projectId === undefined) throw wrongProject('must be a UUID')
  return { scope, projectId, label }
}

function wrongProject(detail: string): AppError {
  return wrongRequest([{ pointer: '#/projectId', detail }])
}
