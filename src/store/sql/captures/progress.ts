import { type Kysely, sql } from 'kysely'
import type { Counts } from '../../../contract/status.ts'
import type { CaptureProgress, Changes, RootProgress } from '../../captures.ts'
import type { Tables } from '../tables.ts'
import { readOptions, readOwnOptions } from './options-text.ts'
import { ORIGIN_COLUMNS, readOrigin } from './origin.ts'

/** Columns that may be long. They are read only for captures that have changed. */
const LONG = ['url', 'name', 'own_options', 'seen', 'detail'] as const

/** A request with all its captures. */
export async function findProgress(
  db: Kysely<Tables>,
  projectId: string,
  rootId: string,
): Promise<RootProgress | undefined> {
  const request = await findRequest(db, projectId, rootId)
  if (!request) return undefined
  const rows = await db
    .selectFrom('captures')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .orderBy('position')
    .execute()
  return {
    created: request.created,
    idempotencyKey: request.idempotency_key ?? undefined,
    origin: readOrigin(request),
    options: readOptions(request.options),
    version: versionOf(request, rows),
    finished: toFinished(request),
    captures: rows.map(toProgress),
  }
}

/** One statement reads all captures, so that counts and changes are from the same instant. */
export async function findChanges(
  db: Kysely<Tables>,
  projectId: string,
  rootId: string,
  since: number,
): Promise<Changes | undefined> {
  const request = await findRequest(db, projectId, rootId)
  if (!request) return undefined
  const rows = await db
    .selectFrom('captures')
    .select(['position', 'loading_time', 'state', 'attempts', 'attempt', 'queued', 'started', 'finished'])
    .select(['reason', 'cut', 'changed'])
    .select(
      LONG.map((column) =>
        sql<string | null>`case when changed > ${since} then ${sql.ref(column)} end`.as(column),
      ),
    )
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .orderBy('position')
    .execute()
  const counts: Counts = { total: rows.length, queued: 0, running: 0, done: 0, failed: 0 }
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
  return {
    created: request.created,
    origin: readOrigin(request),
    options: readOptions(request.options),
    version: versionOf(request, rows),
    finished: toFinished(request),
    counts,
    captures: rows.filter(({ changed }) => changed > since).map((row) => toProgress(row as Row)),
  }
}

async function findRequest(db: Kysely<Tables>, projectId: string, rootId: string) {
  return await db
    .selectFrom('requests')
    .innerJoin('roots', (join) =>
      join
        .onRef('roots.project_id', '=', 'requests.project_id')
        .onRef('roots.root_id', '=', 'requests.root_id'),
    )
    .select(['roots.created', 'idempotency_key', 'options', 'version', 'finished', 'outcome'])
    .select(ORIGIN_COLUMNS)
    .where('requests.project_id', '=', projectId)
    .where('requests.root_id', '=', rootId)
    .executeTakeFirst()
}

/** The request was read before its captures, so a capture may have a newer version. */
function versionOf(request: { version: number }, rows: readonly { readonly changed: number }[]): number {
  return rows.reduce((last, { changed }) => Math.max(last, changed), request.version)
}

function toFinished({ finished, outcome }: Pick<Tables['requests'], 'finished' | 'outcome'>) {
  return finished === null || outcome === null ? undefined : { at: finished, outcome }
}

type Row = Omit<Tables['captures'], 'project_id' | 'root_id' | 'turn' | 'due' | 'lease' | 'deaths'>

function toProgress(row: Row): CaptureProgress {
  return {
    position: row.position,
    url: row.url,
    name: row.name,
    loadingTime: row.loading_time,
    ownOptions: readOwnOptions(row.own_options),
    state: row.state,
    attempts: row.attempts,
    uuid: row.state === 'done' ? (row.attempt ?? undefined) : undefined,
    failed: row.reason === null ? undefined : { reason: row.reason, detail: row.detail ?? '' },
    seen: row.seen === null ? undefined : JSON.parse(row.seen),
    cut: row.cut === 1,
    queued: row.queued,
    started: row.started ?? undefined,
    finished: row.finished ?? undefined,
    changed: row.changed,
  }
}

export async function findFailed(db: Kysely<Tables>, projectId: string, rootId: string, position: number) {
  const row = await db
    .selectFrom('captures')
    .select(['url', 'name', 'reason', 'detail'])
    .where('project_id', '=', projectId)
    .where('root_id', '=', rootId)
    .where('position', '=', position)
    .where('state', '=', 'failed')
    .executeTakeFirst()
  if (!row || row.reason === null) return undefined
  return { url: row.url, name: row.name, reason: row.reason, detail: row.detail ?? '' }
}
