import { paths, pathTo, projectPath } from '../../src/contract/paths.ts'
import { isFinal, type RootStatus } from '../../src/contract/status.ts'
import type { Setup } from './attack.ts'
import type { Party } from './world.ts'

export interface Wanted {
  readonly path: string
  readonly pages: number
  readonly loadingTime?: number
  readonly width?: number
  readonly height?: number
}

/** Requests pages of the bench's site. Returns the root, or the HTTP status if it was refused. */
export async function askForPages(
  { world, service }: Setup,
  { projectId, write }: Party,
  { path, pages, loadingTime = 15_000, width = 1200, height = 720 }: Wanted,
): Promise<{ rootId: string } | { refused: number }> {
  const response = await fetch(service.url + projectPath(projectId), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${write}` },
    body: JSON.stringify({
      screenshotParameter: { width, height },
      urls: Array.from({ length: pages }, (_, index) => ({
        url: `${world.site}${path}?${index}`,
        name: `Page ${index}`,
        loadingTime,
      })),
    }),
  })
  const answer = (await response.json()) as { jobId?: string }
  return answer.jobId === undefined ? { refused: response.status } : { rootId: answer.jobId }
}

/** Undefined if there was no status in the answer. */
export async function readStatus(
  { service }: Setup,
  { projectId, read }: Party,
  rootId: string,
  waitS = 0,
): Promise<RootStatus | undefined> {
  const response = await fetch(`${service.url}${pathTo(paths.getStatus, projectId, rootId)}?wait=${waitS}`, {
    headers: { authorization: `Bearer ${read}` },
  })
  const status = (await response.json()) as RootStatus
  return response.status === 200 ? status : undefined
}

/** Seconds until all pages are finished, at most `limitS`. */
export async function timePages(setup: Setup, party: Party, wanted: Wanted, limitS: number): Promise<number> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  const asked = await askForPages(setup, party, wanted)
  if ('refused' in asked) throw new Error(`the victim was refused: ${asked.refused}`)
  while (seconds() < limitS) {
    const left = Math.max(1, Math.ceil(limitS - seconds()))
    const status = await readStatus(setup, party, asked.rootId, Math.min(5, left))
    if (status && isFinal(status.state)) return seconds()
  }
  return limitS
}
