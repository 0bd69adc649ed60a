import { rootPagePath } from '../../contract/paths.ts'
import type { Mark } from '../../contract/seen.ts'
import type { PageStatus, RootStatus } from '../../contract/status.ts'
import { counted, formatTable, printable } from '../say.ts'
import type { CaptureDesk } from './orders.ts'

export interface Report {
  readonly desk: Pick<CaptureDesk, 'projectId' | 'gallery' | 'mayNotRun'>
  readonly statuses: readonly RootStatus[]
  /** Paths of the saved pictures, by uuid. */
  readonly saved: ReadonlyMap<string, string>
}

export function toTable({ statuses, saved }: Report): string {
  const rows = statuses.flatMap(({ urls }) => urls).map((page) => toRow(page, saved))
  return formatTable(['STATE', '  TIME', 'PAGE', 'RESULT'], rows)
}

function toRow(page: PageStatus, saved: Report['saved']): string[] {
  const { url, state, started, finished, uuid, reason, detail } = page
  const took =
    started !== undefined && finished !== undefined ? `${((finished - started) / 1000).toFixed(1)} s` : ''
  const picture = (uuid && (saved.get(uuid) ?? uuid)) ?? ''
  const result = reason ? `${reason}: ${printable(detail ?? '')}` : picture + describeSeen(page)
  return [state, took.padStart(6), `${printable(url)} ${ownWindow(page)}`.trim(), result]
}

export function toSummary({ desk, statuses }: Report): string {
  return statuses
    .map(({ rootId, counts: { done, total } }) => {
      const outcome = done === total ? 'Captured' : 'Not all captured'
      const address = addressOf(desk, rootId)
      const see = desk.mayNotRun ? `\`npx proofsheet serve\` shows it at ${address}` : `See ${address}`
      return `${outcome}: ${done} of ${counted(total, 'page')}, as root ${rootId}.\n${see}\n`
    })
    .join('')
}

/** For programs: the status of each root, as in the API, with the paths of the saved pictures. */
export function toJson({ desk, statuses, saved }: Report): string {
  const roots = statuses.map(({ urls, ...status }) => ({
    ...status,
    projectId: desk.projectId,
    gallery: addressOf(desk, status.rootId),
    urls: urls.map((page) => {
      const file = page.uuid === undefined ? undefined : saved.get(page.uuid)
      return file === undefined ? page : { ...page, file }
    }),
  }))
  return JSON.stringify({ roots }, undefined, 2)
}

function addressOf({ gallery, projectId }: Report['desk'], rootId: string): string {
  return gallery + rootPagePath(projectId, rootId)
}

/** What is unusual about a captured page, in a few words: ` (status 404; cut: the page is longer)`. */
function describeSeen({ seen, cut, notes = [] }: Pick<PageStatus, 'seen' | 'cut' | 'notes'>): string {
  const words: Record<Mark, string> = {
    error: `status ${seen?.status}`,
    cut: 'cut: the page is longer',
    wide: 'the page is wider',
    restless: 'never at rest',
    waiting: 'shows placeholders',
    incomplete: `${counted(seen?.failedResources ?? 0, 'resource')} failed`,
  }
  const marks = seen?.marks ?? (cut ? ['cut' as const] : [])
  const sentences = notes.map(({ detail }) => printable(detail).replace(/\.$/, ''))
  const all = [...marks.map((mark) => words[mark]), ...sentences]
  return all.length === 0 ? '' : ` (${all.join('; ')})`
}

/** `390x844`, for a page that has a window of its own. Empty for all others. */
export function ownWindow({ options }: Pick<PageStatus, 'options'>): string {
  const { width, height } = options ?? {}
  if (width === undefined && height === undefined) return ''
  return `${width ?? ''}x${height ?? ''}`
}
