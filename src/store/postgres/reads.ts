import {
  createReads,
  HEAD,
  KEY,
  type LookUps,
  PROJECT,
  type Query,
  type Reads,
  SHOWN,
  toApiKey,
  toProject,
  toRootHead,
  type Words,
} from '../sql/reads.ts'

/**
 * An address in the index of jobs by address. An entry has at most 2,704 bytes. So a longer address is indexed by its
 * beginning and a hash.
 */
export const keyOf = (url: string) =>
  `(left(${url}, 500)) collate "C", (case when length(${url}) > 500 then md5(${url}) else '' end) collate "C"`

export const WORDS: Words = {
  json: (column) => `to_json(${column})`,
  array: (columns) => `json_build_array(${columns})`,
  arrayOf: (json) => `json_agg(${json} order by position)::text`,
  among: (id, parameter) => `${id} = any(${parameter}::uuid[])`,
  each: (parameter) => `unnest(${parameter}::uuid[]) wanted (value)`,
  notAmong: (value, selection) => `${value} <> all(array(${selection}))`,
  hasUrl: (url) => `(${keyOf('jobs.url')}) = (${keyOf(`${url}::text`)}) and jobs.url = ${url}::text`,
  holds: (column, parameter) => `strpos(lower(${column} collate "C"), ${parameter}) > 0`,
}

/** The keys of a look-up, each of two values. */
const WANTED = 'with ordinality wanted (one, other, ordinal)'

export function createPostgresReads(query: Query): Reads & LookUps {
  /** One result for each of `count` keys. A row begins with the number of its key, counted from one. */
  const inOrder = <T>(count: number, rows: unknown[][], read: (row: unknown[]) => T): (T | undefined)[] => {
    const found = new Array<T | undefined>(count).fill(undefined)
    for (const [ordinal, ...row] of rows) found[(ordinal as number) - 1] = read(row)
    return found
  }
  return {
    ...createReads(query, WORDS),
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
      const text = `select ordinal, ${HEAD} from unnest($1::uuid[], $2::uuid[]) ${WANTED}
        join roots on project_id = one and root_id = other where claimed is null`
      const values = [keys.map(({ projectId }) => projectId), keys.map(({ rootId }) => rootId)]
      return inOrder(keys.length, await query(text, values, 'find_roots'), toRootHead)
    },
    async findVersions(keys) {
      const text = `select ordinal, version from unnest($1::uuid[], $2::uuid[]) ${WANTED}
        join requests on project_id = one and root_id = other`
      const values = [keys.map(({ projectId }) => projectId), keys.map(({ rootId }) => rootId)]
      const rows = await query(text, values, 'find_versions')
      return inOrder(keys.length, rows, ([version]) => version as number)
    },
    async findKeys(keys) {
      const text = `select ordinal, ${KEY} from unnest($1::text[], $2::text[]) ${WANTED}
        join keys on hash = one where revoked is null
          and not exists (select 1 from ended_sessions where session = other)`
      const values = [keys.map(({ hash }) => hash), keys.map(({ session }) => session)]
      return inOrder(keys.length, await query(text, values, 'find_keys'), toApiKey)
    },
  }
}
