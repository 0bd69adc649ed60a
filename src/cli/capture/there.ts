import { setTimeout as sleep } from 'node:timers/promises'
import { projectPath, rootPath, statusPath } from '../../contract/paths.ts'
import type { Problem } from '../../contract/problem.ts'
import type { RootResult } from '../../contract/results.ts'
import { isFinal, type RootStatus } from '../../contract/status.ts'
import { AppError } from '../../errors.ts'
import type { CaptureDesk } from './desk.ts'

const LOOK_MS = 500
/** A server that restarts is back by then. */
const PATIENCE_MS = 30_000

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
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(server + path, { ...init, headers: { ...headers, ...init.headers } }).catch(
      (cause) => {
        const reason = (cause as { cause?: Error }).cause?.message ?? (cause as Error).message
        throw new AppError('unavailable', `${server} does not answer: ${reason}`, { cause })
      },
    )
    if (response.ok) return response
    throw await refusal(response, server)
  }
  let results: Promise<RootResult> | undefined
  return {
    async submit(request) {
      const response = await ask(projectPath(project), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify(request),
      })
      return ((await response.json()) as { jobId: string }).jobId
    },
    async *follow(rootId, signal) {
      let heard = performance.now()
      while (!signal.aborted) {
        try {
          const status = (await (await ask(statusPath(project, rootId))).json()) as RootStatus
          heard = performance.now()
          yield status
          if (isFinal(status.state)) return
        } catch (error) {
          const away = error instanceof AppError && error.code === 'unavailable'
          if (!away || performance.now() - heard > PATIENCE_MS) throw error
        }
        await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
      }
    },
    async readPicture(rootId, uuid) {
      results ??= ask(rootPath(project, rootId)).then((response) => response.json() as Promise<RootResult>)
      const { data } = (await results).jobs.find((job) => job.uuid === uuid) ?? {}
      // Signed: no key goes along, which may lead elsewhere.
      const response = data === undefined ? undefined : await fetch(data)
      if (!response?.ok || !response.body)
        throw new AppError('unavailable', `the picture of ${uuid} does not come`)
      return response.body
    },
  }
}

async function refusal(response: Response, server: string): Promise<AppError> {
  const { title, detail, errors = [] } = (await response.json().catch(() => ({}))) as Partial<Problem>
  const said = [detail ?? title ?? `answered ${response.status}`]
  for (const { pointer, parameter, detail: what } of errors) said.push(`  ${pointer ?? parameter} ${what}`)
  const code = response.status === 503 || response.status === 429 ? 'unavailable' : 'bad_request'
  return new AppError(code, `${server}: ${said.join('\n')}`)
}
