import {
  type Client,
  createClient,
  NoAnswerError,
  ProblemError,
  type RootResult,
} from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import type { CaptureDesk } from './desk.ts'

/** In seconds. A server that restarts is back by then. */
const PATIENCE = 30

/** A server captures; this process only asks. */
export function captureThere({
  server,
  project,
  key,
}: {
  server: string
  project: string
  key: string | undefined
}): CaptureDesk {
  const client = openClient(server, key)
  let results: Promise<RootResult> | undefined
  return {
    async submit(request) {
      try {
        return (await client.requestScreenshots(project, request)).jobId
      } catch (error) {
        throw explain(error, server)
      }
    },
    async *follow(rootId, signal) {
      try {
        yield* client.watchStatus(project, rootId, { signal, patience: PATIENCE })
      } catch (error) {
        throw explain(error, server)
      }
    },
    async readPicture(rootId, uuid) {
      results ??= client.getRoot(project, rootId)
      const { data } = (await results).jobs.find((job) => job.uuid === uuid) ?? {}
      // Signed: no key goes along, which may lead elsewhere.
      const response = data === undefined ? undefined : await fetch(data)
      if (!response?.ok || !response.body)
        throw new AppError('unavailable', `the picture of ${uuid} does not come`)
      return response.body
    },
  }
}

function openClient(server: string, key: string | undefined): Client {
  try {
    return createClient({ server, key })
  } catch (error) {
    throw new AppError('bad_request', `PROOFSHEET_KEY: ${(error as Error).message}`)
  }
}

/** In the words of the command. */
function explain(error: unknown, server: string): unknown {
  if (error instanceof NoAnswerError) return new AppError('unavailable', error.message, { cause: error })
  if (!(error instanceof ProblemError)) return error
  const mistakes = error.errors.map(
    ({ pointer, parameter, detail }) => `\n  ${pointer ?? parameter} ${detail}`,
  )
  const code = error.status === 429 || error.status >= 500 ? 'unavailable' : 'bad_request'
  return new AppError(code, `${server}: ${error.message}${mistakes.join('')}`, { cause: error })
}
