import { sql } from 'kysely'
import type { Counts } from '../../../contract/status.ts'
import type { CaptureProgress, Changes, Failed, RequestedPage, RootProgress } from '../../captures.ts'
import { type Database, ofCapture, ofRoot } from '../database.ts'
import type { Tables } from '../tables.ts'
import { ORIGIN_COLUMNS, readOptions, readOrigin, readOwnOptions } from './columns.ts'

/** Columns that may be long. They are read only for captures that have changed. */
const LONG = ['url', 'name', 'own_options', 'seen', 'detail'] as const

export function createProgress({ read }: Database) {
  /**
   * All from one instant: one statement reads all captures. `since`: a version, or 0 for everything. Undefined if there is no such
   * request. Imported roots have none.
   */
  const findChanges = async (
    projectId: string,
    rootId: string,
    since: number,
  ): Promise<Changes | undefined> => {
    const request = await read
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
    if (!request) return undefined
    const rows = await read
      .selectFrom('captures')
      .select(['position', 'loading_time', 'state', 'attempts', 'attempt', 'queued', 'started', 'finished'])
      .select(['reason', 'cut', 'changed'])
      .select(
        LONG.map((column) =>
          sql<string | null>`case when changed > ${since} then ${sql.ref(column)} end`.as(column),
        ),
      )
      .where(ofRoot({ projectId, rootId }))
      .orderBy('position')
      .execute()
    const counts: Counts = { total: rows.length, queued: 0, running: 0, done: 0, failed: 0 }
    for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
    const captures = rows.filter(({ changed }) => changed > since).map((row) => toCapture(row as Row))
    const { created, finished: at, outcome } = request
    return {
      created,
      idempotencyKey: request.idempotency_key ?? undefined,
      origin: readOrigin(request),
      options: readOptions(request.options),
      // The request was read before its captures, so a capture may have a newer version.
      version: rows.reduce((last, { changed }) => Math.max(last, changed), request.version),
      finished: at === null || outcome === null ? undefined : { at, outcome },
      counts,
      captures,
    }
  }

  return {
    findChanges,

    /** A request with all its captures. Undefined as above. */
    findProgress: (projectId: string, rootId: string): Promise<RootProgress | undefined> =>
      findChanges(projectId, rootId, 0),

    /** A page that has failed. Undefined if there is none at this position. */
    async findFailed(
      projectId: string,
      rootId: string,
      position: number,
    ): Promise<(Omit<Failed, 'seen'> & Pick<RequestedPage, 'url' | 'name'>) | undefined> {
      const row = await read
        .selectFrom('captures')
        .select(['url', 'name', 'reason', 'detail'])
        .where(ofCapture({ projectId, rootId, position }))
        .where('state', '=', 'failed')
        .executeTakeFirst()
      if (!row || row.reason === null) return undefined
      return { ...row, reason: row.reason, detail: row.detail ?? '' }
    },
  }
}

type Row = Omit<Tables['captures'], 'project_id' | 'root_id' | 'turn' | 'due' | 'lease' | 'deaths'>

function toCapture(row: Row): CaptureProgress {
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
