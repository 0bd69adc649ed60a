import {
  createReads,
  KEY,
  type LookUps,
  PROJECT,
  type Reads,
  SHOWN,
  toApiKey,
  toProject,
  toRootHead,
  type Words,
} from '../sql/reads.ts'
import type { Run } from './statements.ts'

const MOST_KNOWN = 20_000

export const WORDS: Words = {
  json: (column) => `json_quote(${column})`,
  array: (columns) => `json_array(${columns})`,
  arrayOf: (json) => `json_group_array(${json} order by position)`,
  among: (id, parameter) => `${id} in (select value from json_each(${parameter}))`,
  each: (parameter) => `json_each(${parameter}) wanted`,
  notAmong: (value, selection) => `${value} not in (${selection})`,
  hasUrl: (url) => `jobs.url = ${url}`,
  holds: (column, parameter) => `instr(lower(${column}), ${parameter}) > 0`,
}

const FIND_PROJECT = `select ${PROJECT} from projects where project_id = $1 and removed is null`
const FIND_ROOT = `${SHOWN} and root_id = $2`
const FIND_VERSION = 'select version from requests where project_id = $1 and root_id = $2'
const FIND_KEY = `select ${KEY} from keys where hash = $1 and revoked is null
  and not exists (select 1 from ended_sessions where session = $2)`

export function createSqliteReads(run: Run): Reads & LookUps {
  // Look-ups stay valid until any process has written. Asking SQLite for that takes less time than two look-ups.
  let known = new Map<string, unknown>()
  let seen: unknown
  const unlessChanged = <K, T extends object>(
    keys: readonly K[],
    nameOf: (key: K) => string,
    find: (key: K) => T | undefined,
  ): (T | undefined)[] => {
    const now = run('pragma data_version')[0]?.[0]
    if (now !== seen || known.size > MOST_KNOWN) known = new Map()
    seen = now
    return keys.map((key) => {
      const name = nameOf(key)
      const before = known.get(name) as T | undefined
      if (before !== undefined) return before
      const found = find(key)
      if (found !== undefined) known.set(name, found)
      return found
    })
  }

  return {
    ...createReads(async (text, values) => run(text, values), WORDS),
    findProjects: async (ids) =>
      unlessChanged(
        ids,
        (id) => id,
        (id) => run(FIND_PROJECT, [id]).map(toProject)[0],
      ),
    findRoots: async (keys) =>
      unlessChanged(
        keys,
        ({ projectId, rootId }) => projectId + rootId,
        ({ projectId, rootId }) => run(FIND_ROOT, [projectId, rootId]).map(toRootHead)[0],
      ),
    findVersions: async (keys) =>
      keys.map(
        ({ projectId, rootId }) => run(FIND_VERSION, [projectId, rootId])[0]?.[0] as number | undefined,
      ),
    findKeys: async (keys) =>
      unlessChanged(
        keys,
        ({ hash, session }) => `${hash} ${session}`,
        ({ hash, session }) => run(FIND_KEY, [hash, session]).map(toApiKey)[0],
      ),
  }
}
