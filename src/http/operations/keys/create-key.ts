import { KeyRequest, type NewKey } from '../../../contract/access.ts'
import { parseId } from '../../../contract/ids.ts'
import { paths } from '../../../contract/paths.ts'
import { AppError } from '../../../errors.ts'
import { logAct } from '../../answers/log-act.ts'
import { problemResponses } from '../../answers/responses.ts'
import type { HttpContext, Server } from '../../context.ts'
import { type ReadJson, requireValid, wrongRequest } from '../../rules/read-json.ts'
import { toKey } from './to-key.ts'

export function createKey(server: Server, readJson: ReadJson, { administration }: HttpContext): void {
  server.route({
    method: 'POST',
    url: paths.keys,
    config: { access: 'admin', isPaced: true },
    schema: {
      operationId: 'createKey',
      tags: ['Access'],
      summary: 'Make a key',
      description:
        'The answer has the key itself. It is not shown again. Needs a key with the scope `admin`.',
      body: { $ref: 'KeyRequest#' },
      response: {
        201: {
          description: 'The new key.',
          content: { 'application/json': { schema: { $ref: 'NewKey#' } } },
        },
        ...problemResponses(
          'bad_request',
          'unauthorized',
          'forbidden',
          'too_large',
          'unsupported_media_type',
          'rate_limited',
          'storage_full',
        ),
      },
    },
    handler: async (request, reply) => {
      const asked = await readJson(request, reply, readKeyRequest)
      const { key, secret } = await administration.createKey(asked).catch((error) => {
        const isUnknown = error instanceof AppError && error.code === 'not_found'
        throw isUnknown ? wrongProject('there is no such project') : error
      })
      logAct(request, 'made a key', { made: key.keyId, scope: key.scope, projectId: key.projectId })
      const answer: NewKey = { ...toKey(key), key: secret }
      return await reply.code(201).header('cache-control', 'no-store').send(answer)
    },
  })
}

function readKeyRequest(body: unknown) {
  const { scope, projectId: text, label = '' } = requireValid(KeyRequest, body)
  if (scope === 'admin') {
    if (text !== undefined) throw wrongProject('must be left out: the scope admin is for all projects')
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
