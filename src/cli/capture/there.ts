import { type Client, createClient, NoAnswerError, ProblemError } from '../../client/client.ts'
import { readConfig } from '../../config/config.ts'
import { parseId } from '../../contract/ids.ts'
import { AppError } from '../../errors.ts'
import { wrong } from '../say.ts'
import { chooseProject } from '../storage.ts'
import type { CaptureDesk, Order } from './orders.ts'

/** In seconds: long enough for a server to restart. */
const PATIENCE = 30

export async function captureThere(server: string, project: string | undefined): Promise<CaptureDesk> {
  const client = openClient(server, readConfig(undefined, { serving: false }).clientKey)
  const explained = <T>(answer: Promise<T>, tell?: Order['tell']): Promise<T> =>
    answer.catch((error) => {
      throw explain(error, server, tell)
    })
  const projectId = await explained(findProject(client, project))
  return {
    projectId,
    gallery: server,
    mayNotRun: false,
    submit: async ({ request, tell }) =>
      (await explained(client.requestScreenshots(projectId, request), tell)).jobId,
    async *follow(rootId, signal) {
      try {
        yield* client.watchStatus(projectId, rootId, { signal, patience: PATIENCE })
      } catch (error) {
        throw explain(error, server)
      }
    },
    async readPicture(rootId, uuid) {
      const gone = (cause?: unknown): never => {
        throw new AppError('unavailable', `could not fetch the picture ${uuid}`, { cause })
      }
      const { body } = await client.fetchPicture(projectId, rootId, uuid).catch(gone)
      return body ?? gone()
    },
  }
}

/** An id is not checked here: the server knows. */
async function findProject(client: Client, meant: string | undefined): Promise<string> {
  if (meant !== undefined && parseId(meant) !== undefined) return meant
  return chooseProject((await Array.fromAsync(client.listProjects())).flat(), meant)
}

function openClient(server: string, key: string | undefined): Client {
  try {
    return createClient({ server, key })
  } catch (error) {
    throw wrong(`PROOFSHEET_KEY: ${(error as Error).message}`)
  }
}

const tellPlace: Order['tell'] = ({ pointer, detail }) => `${pointer} ${detail}`

function explain(error: unknown, server: string, tell: Order['tell'] = tellPlace): unknown {
  if (error instanceof NoAnswerError) return new AppError('unavailable', error.message, { cause: error })
  if (!(error instanceof ProblemError)) return error
  const mistakes = error.errors.map(
    ({ pointer, parameter = '', detail }) => `\n  ${tell({ pointer: pointer ?? parameter, detail })}`,
  )
  const code = error.status === 429 || error.status >= 500 ? 'unavailable' : 'bad_request'
  return new AppError(code, `${server}: ${error.message}${mistakes.join('')}`, { cause: error })
}
