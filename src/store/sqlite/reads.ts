import {
  ANY_UNFINISHED,
  BACKLOG,
  BETWEEN_JOBS,
  HEAD,
  JOB,
  jobText,
  KEY,
  PROJECT,
  positionsOf,
  type Reads,
  toApiKey,
  toBacklog,
  toJobs,
  toJobTexts,
  toProject,
  toRootHead,
  toRootPositions,
  toRootTexts,
} from '../sql/reads.ts'
import type { Prepare } from './prepare.ts'

/** Look-ups that are remembered. */
const MOST_KNOWN = 20_000

/** Sorts before every project. */
const BEFORE_ALL = { created: -1, projectId: '' }

export const TEXT = jobText((column) => `json_quote(${column})`)
const TEXTS = `string_agg(${TEXT}, char(${BETWEEN_JOBS}) order by position)`
const OF_ROOT = 'from jobs where project_id = ?1 and root_id = ?2'
const SHOWN = `select ${HEAD} from roots where project_id = ?1 and claimed is null`

export function createSqliteReads(prepare: Prepare): Reads {
  const version = prepare('pragma data_version')
  const project = prepare(`select ${PROJECT} from projects where project_id = ?1 and removed is null`)
  const projects = prepare(
    `select ${PROJECT} from projects where (created, project_id) > (?2, ?3) and removed is null
     order by created, project_id limit ?1`,
  )
  const root = prepare(`${SHOWN} and root_id = ?2`)
  const key = prepare(
    `select ${KEY} from keys where hash = ?1 and revoked is null
     and not exists (select 1 from ended_sessions where session = ?2)`,
  )
  const identity = prepare('select value from identity where name = ?1')
  const progress = prepare('select version from requests where project_id = ?1 and root_id = ?2')
  const unfinished = prepare(ANY_UNFINISHED)
  const backlog = prepare(BACKLOG)
  const firstRoots = prepare(`${SHOWN} order by created desc, root_id limit ?2`)
  // Two index ranges instead of one condition with OR: each begins where the list page begins. So every list page costs the
  // same, even if many roots share one instant.
  const furtherRoots = prepare(
    `select * from (${SHOWN} and created = ?3 and root_id > ?4 order by root_id limit ?2)
     union all select * from (${SHOWN} and created < ?3 order by created desc, root_id limit ?2)
     order by created desc, root_id limit ?2`,
  )
  const jobs = prepare(
    `select root_id, json_group_array(json_array(${JOB}) order by position) from jobs
     where project_id = ?1 and root_id in (select value from json_each(?2)) group by root_id`,
  )
  const someJobs = prepare(
    `select json_group_array(json_array(${JOB}) order by position) from
     (select * from jobs where project_id = ?1 and root_id = ?2 and position >= ?3 order by position limit ?4)`,
  )
  // One statement sees one instant, so the head belongs to the jobs.
  const texts = prepare(
    `select ${HEAD}, (select ${TEXTS} from jobs where project_id = ?1 and root_id = roots.root_id)
     from roots where project_id = ?1 and root_id in (select value from json_each(?2)) and claimed is null`,
  )
  const someTexts = prepare(
    `select ${HEAD}, (select ${TEXTS} from (select * ${OF_ROOT} and position >= ?3 order by position limit ?4))
     from roots where project_id = ?1 and root_id = ?2 and claimed is null`,
  )
  const positions = prepare(
    positionsOf(`${SHOWN} and root_id = ?2`, OF_ROOT, (column) => `group_concat(${column})`),
  )
  const textsBetween = prepare(
    `select ${TEXTS} ${OF_ROOT} and position between ?4 and ?5
     and exists (${SHOWN} and root_id = ?2 and digest = ?3)`,
  )

  // Look-ups stay valid until any process has written. Asking SQLite for that takes less time than two look-ups.
  let known = new Map<string, unknown>()
  let seen: unknown
  const unlessChanged = <T extends object>(
    names: readonly string[],
    find: (index: number) => T | undefined,
  ): (T | undefined)[] => {
    const now = version()[0]?.[0]
    if (now !== seen || known.size > MOST_KNOWN) known = new Map()
    seen = now
    return names.map((name, index) => {
      const before = known.get(name) as T | undefined
      if (before !== undefined) return before
      const found = find(index)
      if (found !== undefined) known.set(name, found)
      return found
    })
  }

  return {
    findProjects: async (ids) => unlessChanged(ids, (index) => project(ids[index] ?? '').map(toProject)[0]),
    findRoots: async (keys) =>
      unlessChanged(
        keys.map(({ projectId, rootId }) => projectId + rootId),
        (index) => {
          const { projectId = '', rootId = '' } = keys[index] ?? {}
          return root(projectId, rootId).map(toRootHead)[0]
        },
      ),
    findVersions: async (keys) =>
      keys.map(({ projectId, rootId }) => progress(projectId, rootId)[0]?.[0] as number | undefined),
    findKeys: async (keys) =>
      unlessChanged(
        keys.map(({ hash, session }) => `${hash} ${session}`),
        (index) => {
          const { hash = '', session = '' } = keys[index] ?? {}
          return key(hash, session).map(toApiKey)[0]
        },
      ),
    findIdentity: async (name) => identity(name)[0]?.[0] as string | undefined,
    listProjects: async ({ after = BEFORE_ALL, limit = -1 } = {}) =>
      projects(limit, after.created, after.projectId).map(toProject),
    pageRoots: async (projectId, { after, limit }) =>
      (after === undefined
        ? firstRoots(projectId, limit)
        : furtherRoots(projectId, limit, after.created, after.rootId)
      ).map(toRootHead),
    jobsOf: async (projectId, rootIds) =>
      jobs(projectId, JSON.stringify(rootIds)).flatMap(([rootId, json]) =>
        toJobs(rootId as string, json as string),
      ),
    pageJobs: async (projectId, rootId, { from, limit }) =>
      someJobs(projectId, rootId, from, limit).flatMap(([json]) => toJobs(rootId, json as string)),
    textsOf: async (projectId, rootIds) =>
      new Map(texts(projectId, JSON.stringify(rootIds)).map((row) => [row[0] as string, toRootTexts(row)])),
    pageTexts: async (projectId, rootId, { from, limit }) =>
      someTexts(projectId, rootId, from, limit).map(toRootTexts)[0],
    findPositions: async (projectId, rootId) => positions(projectId, rootId).map(toRootPositions)[0],
    textsBetween: async (projectId, { rootId, digest }, { first, last }) =>
      toJobTexts(textsBetween(projectId, rootId, digest, first, last)[0]?.[0] ?? null),
    findBacklog: async () => toBacklog(backlog()[0] ?? []),
    anyUnfinished: async () => unfinished().length > 0,
    check: async () => void projects(1, 0, ''),
  }
}
