import { sql } from 'kysely'
import { createWriteProbe } from '../../files/write-probe.ts'
import { createCaptures } from './captures/captures.ts'
import { createEvents } from './captures/events.ts'
import { type Connections, createDatabase, type Database, insertNew, update } from './database.ts'
import { OwnedRows } from './owned-rows.ts'
import { createEndedSessions } from './projects/ended-sessions.ts'
import { createKeys } from './projects/keys.ts'
import { createProjects } from './projects/projects.ts'
import { createTemplates } from './projects/templates.ts'
import type { LookUps, Reads } from './reads.ts'
import { createAdding } from './roots/add-root.ts'
import type { Browsing } from './roots/browsing.ts'
import { createRemovals } from './roots/removals.ts'
import { createScheduledRoots } from './schedules/scheduled-roots.ts'
import { createSchedules } from './schedules/schedules.ts'
import { OWNED, type OwnedTable } from './tables.ts'
import { together } from './together.ts'
import { createDeliveries } from './webhooks/deliveries.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

/** The length of an id. */
const ID = 36

/** What an engine brings to a store. */
interface EngineParts {
  readonly reads: Reads & LookUps
  readonly browsing: Browsing
  readonly database: Connections
  /** The use of the connections of this process. Undefined if they have no limit. */
  readonly connections?: () => { readonly used: number; readonly waiting: number } | undefined
  /**
   * Searches the whole database for damage that the engine can find, in the background. Returns the first damage. From then on
   * `check` throws.
   */
  readonly findDamage?: (signal: AbortSignal) => Promise<string | undefined>
  /** Advice for the operator: problems that do not stop the service, and how to solve them. */
  readonly warnings?: readonly string[]
  /** How the engine finds out whether it can write. */
  readonly writing: {
    /** Throws `storage_full` or `read_only`. Looks without writing anything, while all is well. */
    check(): Promise<void>
    /** Called before a write is tried, after one has failed. */
    afterFailure?(): void
    /** `fail` is to be called when a write fails for such a reason. */
    onFailure(fail: () => void): void
  }
  readonly close: () => Promise<void>
}

/**
 * Projects, roots, jobs and keys. Ids are lower case. Absence is undefined or an empty list.
 * Every method may throw AppError `unavailable` (try again later), `storage_full`, `read_only` or
 * `storage_failed`.
 */
export interface Store extends ReturnType<typeof createSqlStore> {}

export function createSqlStore({
  reads,
  browsing,
  database,
  connections = () => undefined,
  findDamage = async () => undefined,
  warnings = [],
  writing,
  close,
}: EngineParts) {
  const db = createDatabase(database)
  const probe = createWriteProbe(async (failed) => {
    if (!failed) return await writing.check()
    writing.afterFailure?.()
    await tryWriting(db)
  })
  writing.onFailure(() => probe.fail())
  const rootsOf = (keys: readonly string[]) =>
    keys.map((key) => ({ projectId: key.slice(0, ID), rootId: key.slice(ID) }))
  const findRoot = together((keys) => reads.findRoots(rootsOf(keys)))
  const findVersion = together((keys) => reads.findVersions(rootsOf(keys)))
  const findKey = together((keys) =>
    reads.findKeys(keys.map((key) => key.split(' ')).map(([hash = '', session = '']) => ({ hash, session }))),
  )
  return {
    ...reads,
    ...createProjects(db),
    ...createKeys(db),
    ...createAdding(db),
    ...createIdentity(db),
    findProject: together(reads.findProjects),
    findRoot: (projectId: string, rootId: string) => findRoot(projectId + rootId),
    /** A key that was not revoked. With a session, by the hash of its id: and the session has not ended. */
    findKey: (hash: string, session = '') => findKey(`${hash} ${session}`),

    browsing,
    captures: {
      ...createCaptures(db),
      anyUnfinished: reads.anyUnfinished,
      findBacklog: reads.findBacklog,
      findVersions: reads.findVersions,
      /** The version of a request. Undefined if there is no such request. Imported roots have none. */
      findVersion: (projectId: string, rootId: string) => findVersion(projectId + rootId),
    },
    events: createEvents(db),
    removals: createRemovals(db),
    /** Roots whose pages are captured later, once. */
    scheduledRoots: createScheduledRoots(db),
    schedules: createSchedules(db),
    webhooks: createWebhooks(db),
    deliveries: createDeliveries(db),
    templates: createTemplates(db),
    /** The rows of everything that projects own, as they are stored. */
    owned: Object.fromEntries(
      Object.keys(OWNED).map((table) => [table, new OwnedRows(db, table as OwnedTable)]),
    ) as unknown as { readonly [T in OwnedTable]: OwnedRows<T> },
    endedSessions: createEndedSessions(db),

    connections,
    findDamage,
    warnings,
    /**
     * Throws if nothing can be written: `storage_full` or `read_only`, with a message for clients. It looks, at most every few
     * seconds while all is well. After a write has failed, it tries one.
     */
    checkWriting: () => probe.check(),
    /** Whether the last write failed for such a reason. */
    hasFailedToWrite: probe.hasFailed,
    close,
  }
}

/** The data of a store about itself. */
function createIdentity(db: Database) {
  return {
    /** Keeps a value, unless there is one. Returns the value that is there, so that two processes at the same time agree. */
    keepIdentity: (name: string, value: string): Promise<string> =>
      db.transaction(async (transaction) => {
        await insertNew(transaction, 'identity', { name, value })
        const kept = transaction.selectFrom('identity').select('value').where('name', '=', name)
        return (await kept.executeTakeFirstOrThrow()).value
      }),

    /**
     * A time that is kept under a name. It follows `now`, corrected to the clock of the store, but goes ahead by `most` with each
     * call at most, and back with it. The first call trusts `now`.
     */
    async followTime(name: string, options: { now: number; most: number }): Promise<number> {
      const now = await db.timeAt(options.now)
      return await db.transaction(async (transaction) => {
        await insertNew(transaction, 'times', { name, time: now })
        const kept = transaction.selectFrom('times').select('time').where('name', '=', name).forUpdate()
        const { time: before } = await kept.executeTakeFirstOrThrow()
        const time = Math.min(now, before + Math.round(options.most))
        await update(transaction, 'times', { time }, sql`name = ${name}`)
        return time
      })
    },
  }
}

/** Writes something, and changes nothing. */
async function tryWriting(db: Database): Promise<void> {
  const same = { value: sql<string>`value` }
  await db.transaction((transaction) => transaction.updateTable('identity').set(same).execute())
}
