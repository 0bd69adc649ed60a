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

/**
 * Runs one statement. The rows are arrays. With a name, each connection prepares it once, and the server plans it once: for
 * look-ups of almost every request. A name stands for one text.
 */
export type Query = (text: string, values?: readonly unknown[], name?: string) => Promise<unknown[][]>

const SHOWN = `select ${HEAD} from roots where project_id = $1 and claimed is null`
export const TEXT = jobText((column) => `to_json(${column})`)
export const TEXTS = `string_agg(${TEXT}, chr(${BETWEEN_JOBS}) order by position)`
const OF_ROOT = 'from jobs where project_id = $1 and root_id = $2'
const POSITIONS = positionsOf(
  `${SHOWN} and root_id = $2`,
  OF_ROOT,
  (column) => `string_agg(${column}::text, ',' order by ${column})`,
)
const JOBS = `json_agg(json_build_array(${JOB}) order by position)::text`

export function createPostgresReads(query: Query): Reads {
  /** One result for each of `count` keys. A row begins with the number of its key, counted from one. */
  const inOrder = <T>(count: number, rows: unknown[][], read: (row: unknown[]) => T): (T | undefined)[] => {
    const found = new Array<T | undefined>(count).fill(undefined)
    for (const [ordinal, ...row] of rows) found[(ordinal as number) - 1] = read(row)
    return found
  }
  return {
    async findProjects(ids) {
      const text = `select ordinal, ${PROJECT}
        from unnest($1::uuid[]) with ordinality wanted (wanted_id, ordinal) join projects on project_id = wanted_id
        where removed is null`
      return inOrder(ids.length, await query(text, [ids], 'find_projects'), toProject)
    },
    async findRoots(keys) {
      // Mostly it is one key. Then the server needs no plan for a join.
      const [{ projectId, rootId } = { projectId: '', rootId: '' }] = keys
      if (keys.length === 1) {
        const rows = await query(`${SHOWN} and root_id = $2`, [projectId, rootId], 'find_root')
        return [rows.map(toRootHead)[0]]
      }
      const text = `select ordinal, ${HEAD}
        from unnest($1::uuid[], $2::uuid[]) with ordinality wanted (wanted_project, wanted_root, ordinal)
        join roots on project_id = wanted_project and root_id = wanted_root where claimed is null`
      const values = [keys.map(({ projectId }) => projectId), keys.map(({ rootId }) => rootId)]
      return inOrder(keys.length, await query(text, values, 'find_roots'), toRootHead)
    },
    async findVersions(keys) {
      const text = `select ordinal, version
        from unnest($1::uuid[], $2::uuid[]) with ordinality wanted (wanted_project, wanted_root, ordinal)
        join requests on project_id = wanted_project and root_id = wanted_root`
      const values = [keys.map(({ projectId }) => projectId), keys.map(({ rootId }) => rootId)]
      return inOrder(
        keys.length,
        await query(text, values, 'find_versions'),
        ([version]) => version as number,
      )
    },
    async findKeys(keys) {
      const text = `select ordinal, ${KEY}
        from unnest($1::text[], $2::text[]) with ordinality wanted (wanted_hash, wanted_session, ordinal)
        join keys on hash = wanted_hash where revoked is null
          and not exists (select 1 from ended_sessions where session = wanted_session)`
      const values = [keys.map(({ hash }) => hash), keys.map(({ session }) => session)]
      return inOrder(keys.length, await query(text, values, 'find_keys'), toApiKey)
    },
    async findIdentity(name) {
      return (await query('select value from identity where name = $1', [name]))[0]?.[0] as string | undefined
    },
    async listProjects({ after, limit } = {}) {
      const text = `select ${PROJECT} from projects where removed is null ${after ? 'and (created, project_id) > ($2, $3)' : ''}
        order by created, project_id limit $1`
      return (await query(text, after ? [limit, after.created, after.projectId] : [limit])).map(toProject)
    },
    async pageRoots(projectId, { after, limit }) {
      if (after === undefined) {
        const text = `${SHOWN} order by created desc, root_id limit $2`
        return (await query(text, [projectId, limit])).map(toRootHead)
      }
      // Two index ranges instead of one condition with OR: each begins where the list page begins. So every list page costs
      // the same, even if many roots share one instant.
      const text = `select * from (${SHOWN} and created = $3 and root_id > $4 order by root_id limit $2) same_instant
        union all select * from (${SHOWN} and created < $3 order by created desc, root_id limit $2) older
        order by created desc, root_id limit $2`
      return (await query(text, [projectId, limit, after.created, after.rootId])).map(toRootHead)
    },
    async jobsOf(projectId, rootIds) {
      const text = `select root_id, ${JOBS} from jobs
        where project_id = $1 and root_id = any($2::uuid[]) group by root_id`
      const rows = await query(text, [projectId, rootIds])
      return rows.flatMap(([rootId, json]) => toJobs(rootId as string, json as string))
    },
    async pageJobs(projectId, rootId, { from, limit }) {
      const text = `select ${JOBS} from
        (select * from jobs where project_id = $1 and root_id = $2 and position >= $3 order by position limit $4) part`
      const rows = await query(text, [projectId, rootId, from, limit])
      return rows.flatMap(([json]) => (json === null ? [] : toJobs(rootId, json as string)))
    },
    async textsOf(projectId, rootIds) {
      // One statement sees one instant, so the head belongs to the jobs.
      const text = `select ${HEAD}, (select ${TEXTS} from jobs where project_id = $1 and root_id = roots.root_id)
        from roots where project_id = $1 and root_id = any($2::uuid[]) and claimed is null`
      const rows = await query(text, [projectId, rootIds])
      return new Map(rows.map((row) => [row[0] as string, toRootTexts(row)]))
    },
    async pageTexts(projectId, rootId, { from, limit }) {
      const text = `select ${HEAD},
          (select ${TEXTS} from (select * ${OF_ROOT} and position >= $3 order by position limit $4) part)
        from roots where project_id = $1 and root_id = $2 and claimed is null`
      return (await query(text, [projectId, rootId, from, limit])).map(toRootTexts)[0]
    },
    async findPositions(projectId, rootId) {
      return (await query(POSITIONS, [projectId, rootId])).map(toRootPositions)[0]
    },
    async textsBetween(projectId, { rootId, digest }, { first, last }) {
      const text = `select ${TEXTS} ${OF_ROOT} and position between $4 and $5
        and exists (${SHOWN} and root_id = $2 and digest = $3)`
      const rows = await query(text, [projectId, rootId, digest, first, last])
      return toJobTexts(rows[0]?.[0] ?? null)
    },
    findBacklog: async () => toBacklog((await query(BACKLOG))[0] ?? []),
    anyUnfinished: async () => (await query(ANY_UNFINISHED)).length > 0,
    check: async () => void (await query('select project_id from projects limit 1')),
  }
}
