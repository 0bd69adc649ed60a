import { sql } from 'kysely'
import { WriteProbe } from '../../files/write-probe.ts'
import type { Browsing } from '../browsing.ts'
import type { ApiKey, Project, RootHead, RootKey, Store } from '../store.ts'
import { SqlCaptures } from './captures/captures.ts'
import { SqlEvents } from './captures/events.ts'
import { type Connections, Database } from './database.ts'
import { SqlEndedSessions } from './projects/ended-sessions.ts'
import { createKeys } from './projects/keys.ts'
import { createProjects } from './projects/projects.ts'
import { SqlTemplates } from './projects/templates.ts'
import type { Reads, WantedKey } from './reads.ts'
import { createAdding } from './roots/add-root.ts'
import { SqlRemovals } from './roots/removals.ts'
import { SqlScheduledRoots } from './schedules/scheduled-roots.ts'
import { SqlSchedules } from './schedules/schedules.ts'
import { together } from './together.ts'
import { SqlDeliveries } from './webhooks/deliveries.ts'
import { SqlWebhooks } from './webhooks/webhooks.ts'

/** The length of an id. */
const ID = 36

/** How the engine finds out whether it can write. */
export interface Writing {
  /** Throws `storage_full` or `read_only`. Looks without writing anything, while all is well. */
  check(): Promise<void>
  /** Called before a write is tried, after one has failed. */
  afterFailure?(): void
  /** `fail` is to be called when a write fails for such a reason. */
  onFailure(fail: () => void): void
}

/** A store on an SQL engine. */
export function createSqlStore({
  reads,
  browsing,
  database,
  connections = () => undefined,
  findDamage = async () => undefined,
  warnings = [],
  writing,
  close,
}: {
  reads: Reads
  browsing: Browsing
  database: Connections
  connections?: Store['connections']
  findDamage?: Store['findDamage']
  warnings?: Store['warnings']
  writing: Writing
  close: () => Promise<void>
}): Store {
  const db = new Database(database)
  const { tryWriting, ...identity } = createIdentity(db)
  const probe = new WriteProbe(async (failed) => {
    if (!failed) return await writing.check()
    writing.afterFailure?.()
    await tryWriting()
  })
  writing.onFailure(() => probe.fail())
  const findProject = together<Project | undefined>((ids) => reads.findProjects(ids))
  const findRoot = together<RootHead | undefined>((keys) => reads.findRoots(keys.map(toRootKey)))
  const findVersion = together<number | undefined>((keys) => reads.findVersions(keys.map(toRootKey)))
  const findKey = together<ApiKey | undefined>((keys) => reads.findKeys(keys.map(toWantedKey)))
  return {
    ...reads,
    ...createProjects(db),
    ...createKeys(db),
    ...createAdding(db),
    ...identity,
    findProject: (projectId) => findProject(projectId),
    findRoot: (projectId, rootId) => findRoot(projectId + rootId),
    findKey: (hash, session = '') => findKey(`${hash} ${session}`),
    browsing,
    captures: Object.assign(new SqlCaptures(db), {
      ...{
        anyUnfinished: reads.anyUnfinished,
        findBacklog: reads.findBacklog,
        findVersions: reads.findVersions,
      },
      findVersion: (projectId: string, rootId: string) => findVersion(projectId + rootId),
    }),
    events: new SqlEvents(db),
    removals: new SqlRemovals(db),
    scheduledRoots: new SqlScheduledRoots(db),
    schedules: new SqlSchedules(db),
    webhooks: new SqlWebhooks(db),
    deliveries: new SqlDeliveries(db),
    templates: new SqlTemplates(db),
    endedSessions: new SqlEndedSessions(db),
    checkWriting: () => probe.check(),
    hasFailedToWrite: () => probe.failed,
    connections,
    findDamage,
    warnings,
    close,
  }
}

function toRootKey(key: string): RootKey {
  return { projectId: key.slice(0, ID), rootId: key.slice(ID) }
}

function toWantedKey(text: string): WantedKey {
  const [hash = '', session = ''] = text.split(' ')
  return { hash, session }
}

type Identity = Pick<Store, 'keepIdentity' | 'followTime'> & {
  /** Writes something, and changes nothing. */
  tryWriting(): Promise<void>
}

/** The data of a store about itself. */
function createIdentity(db: Database): Identity {
  return {
    async keepIdentity(name, value) {
      return await db.transaction(async (transaction) => {
        await transaction
          .insertInto('identity')
          .values({ name, value })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const kept = transaction.selectFrom('identity').select('value').where('name', '=', name)
        return (await kept.executeTakeFirstOrThrow()).value
      })
    },
    async followTime(name, { now: given, most }) {
      const now = await db.timeAt(given)
      return await db.transaction(async (transaction) => {
        await transaction
          .insertInto('times')
          .values({ name, time: now })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const kept = transaction.selectFrom('times').select('time').where('name', '=', name)
        const { time: before } = await (db.lock ? kept.forUpdate() : kept).executeTakeFirstOrThrow()
        const time = Math.min(now, before + Math.round(most))
        await transaction.updateTable('times').set({ time }).where('name', '=', name).execute()
        return time
      })
    },
    async tryWriting() {
      await db.transaction((transaction) =>
        transaction
          .updateTable('identity')
          .set({ value: sql.ref('value') })
          .execute(),
      )
    },
  }
}
