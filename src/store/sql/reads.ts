import type { JobText, RootPositions, RootTexts } from '../job-text.ts'
import type { ApiKey, Job, Project, ProjectPosition, RootHead, RootKey, RootPosition } from '../rows.ts'

// The read path, in SQL written by hand. Rows are arrays, and the jobs of a root are one text: that is several times as fast as
// a row for each job.

/**
 * Runs one statement. Its parameters are `$1` and so on; a list is one parameter. The rows are arrays. With a name, each connection of
 * a server prepares it once, and the server plans it once: for look-ups of almost every request. A name stands for one text.
 */
export type Query = (text: string, values?: readonly unknown[], name?: string) => Promise<unknown[][]>

/** SQL that the engines write in different ways. */
export interface Words {
  json(column: string): string
  array(columns: string): string
  /** The JSON array of these values of all rows, in the order of their positions. */
  arrayOf(json: string): string
  /** Whether an id is one of a parameter, which is a list. */
  among(id: string, parameter: string): string
  /** A table `wanted (value)` with the ids of a parameter, which is a list. */
  each(parameter: string): string
  /** Whether a value is none of a few, or of nothing, that a statement selects. */
  notAmong(value: string, selection: string): string
  hasUrl(url: string): string
  /** Whether a column contains a text, which has A to Z only in lower case. */
  holds(column: string, parameter: string): string
}

export interface WantedKey {
  readonly hash: string
  /** A hash of the id of the session that has the key. Empty: none. */
  readonly session: string
}

/**
 * Look-ups of almost every request, in SQL of the engine. They take many keys, because look-ups that arrive together share one query.
 * One result for each key, in their order.
 */
export interface LookUps {
  findProjects(projectIds: readonly string[]): Promise<(Project | undefined)[]>
  findRoots(keys: readonly RootKey[]): Promise<(RootHead | undefined)[]>
  findVersions(keys: readonly RootKey[]): Promise<(number | undefined)[]>
  findKeys(keys: readonly WantedKey[]): Promise<(ApiKey | undefined)[]>
}

export type Reads = ReturnType<typeof createReads>

/** Sorts before every project. */
const BEFORE_ALL = { created: -1, projectId: '00000000-0000-0000-0000-000000000000' }

// The columns, in the order for the functions below.

export const PROJECT = 'project_id, name, created, revision'
export const HEAD = 'root_id, created, revision, job_count, digest'
const HEAD_COLUMNS = HEAD.split(',').length
export const KEY = 'key_id, project_id, scope, label, created, revoked'
/** The name of the picture of a job. */
const PICTURE = 'coalesce(picture, cast(uuid as text))'
/** The columns of a job, in the JSON that is made of it. */
const JOB = `position, uuid, ${PICTURE}, url, name, loading_time, created, basepath, width, height`

/** Selects the roots of the project `$1`. */
export const SHOWN = `select ${HEAD} from roots where project_id = $1 and claimed is null`
const OF_ROOT = 'from jobs where project_id = $1 and root_id = $2'

/** Separates the texts of jobs. JSON escapes it in names and addresses. */
export const BETWEEN_JOBS = '\x1e'

/** Selects a root and the positions of its jobs: all of them if there are gaps. */
const POSITIONS = `select ${HEAD}, first, last, case when last - first >= jobs then
     (select string_agg(cast(position as text), ',' order by position) ${OF_ROOT}) end
   from (select *, (select min(position) ${OF_ROOT}) as first, (select max(position) ${OF_ROOT}) as last,
     (select count(*) ${OF_ROOT}) as jobs from (${SHOWN} and root_id = $2) shown) counted`

/** Two small indexes. Those of unfinished captures also have the scheduled ones, of which there may be many. */
const ANY_UNFINISHED = `select 1 where exists (select 1 from captures where state = 'queued')
  or exists (select 1 from captures where state = 'running')`
/** Selects the number of unfinished captures, of captures under way, and since when the oldest waits. */
const BACKLOG = `select
  cast((select coalesce(sum(waiting), 0) from turns where waiting > 0) as bigint),
  (select count(*) from captures where state = 'running'),
  (select min(queued) from captures where state = 'queued')`

export function createReads(query: Query, { json, array, arrayOf, among }: Words) {
  const jobs = arrayOf(array(JOB))
  const texts = `string_agg(${jobText(json)}, '${BETWEEN_JOBS}' order by position)`
  return {
    /** Oldest first, then by id. All of them, or some after `after`. */
    async listProjects({
      after = BEFORE_ALL,
      limit = Number.MAX_SAFE_INTEGER,
    }: {
      after?: ProjectPosition | undefined
      limit?: number
    } = {}): Promise<Project[]> {
      const text = `select ${PROJECT} from projects where (created, project_id) > ($2, $3) and removed is null
        order by created, project_id limit $1`
      return (await query(text, [limit, after.created, after.projectId])).map(toProject)
    },

    /** Newest first, then by id, after `after`. */
    async pageRoots(
      projectId: string,
      { after, limit }: { after?: RootPosition | undefined; limit: number },
    ): Promise<RootHead[]> {
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

    /** The jobs of these roots, from one instant. The jobs of each root are in the order of the request. */
    async jobsOf(projectId: string, rootIds: readonly string[]): Promise<Job[]> {
      const text = `select root_id, ${jobs} from jobs
        where project_id = $1 and ${among('root_id', '$2')} group by root_id`
      return (await query(text, [projectId, rootIds])).flatMap(([rootId, found]) => toJobs(rootId, found))
    },

    /** Some jobs of one root in their order, from the position `from` on. */
    async pageJobs(
      projectId: string,
      rootId: string,
      { from, limit }: { from: number; limit: number },
    ): Promise<Job[]> {
      const text = `select ${jobs} from (select * ${OF_ROOT} and position >= $3 order by position limit $4) part`
      const rows = await query(text, [projectId, rootId, from, limit])
      return rows.flatMap(([found]) => toJobs(rootId, found))
    },

    /** These roots with all their jobs as text, from one instant. Roots that do not exist are left out. */
    async textsOf(projectId: string, rootIds: readonly string[]): Promise<Map<string, RootTexts>> {
      // One statement sees one instant, so the head belongs to the jobs.
      const text = `select ${HEAD}, (select ${texts} from jobs where project_id = $1 and root_id = roots.root_id)
        from roots where project_id = $1 and ${among('root_id', '$2')} and claimed is null`
      const rows = await query(text, [projectId, rootIds])
      return new Map(rows.map((row) => [row[0] as string, toRootTexts(row)]))
    },

    /** As `pageJobs`, but as text. */
    async pageTexts(
      projectId: string,
      rootId: string,
      { from, limit }: { from: number; limit: number },
    ): Promise<RootTexts | undefined> {
      const text = `select ${HEAD},
          (select ${texts} from (select * ${OF_ROOT} and position >= $3 order by position limit $4) part)
        from roots where project_id = $1 and root_id = $2 and claimed is null`
      return (await query(text, [projectId, rootId, from, limit], 'page_texts')).map(toRootTexts)[0]
    },

    /** For a root that is read in parts. Jobs never change, so the jobs at these positions always give this revision. */
    findPositions: async (projectId: string, rootId: string): Promise<RootPositions | undefined> =>
      (await query(POSITIONS, [projectId, rootId])).map(toRootPositions)[0],

    /** A value that was kept under a name: the id of the store, or the identity of one of its other parts. */
    findIdentity: async (name: string): Promise<string | undefined> =>
      (await query('select value from identity where name = $1', [name]))[0]?.[0] as string | undefined,

    anyUnfinished: async (): Promise<boolean> => (await query(ANY_UNFINISHED)).length > 0,

    /**
     * How many captures wait, since when the oldest, and how many are under way, in all processes. Those of dead processes count until
     * they are found.
     */
    async findBacklog() {
      const [[unfinished, running, oldest] = [0, 0, null]] = (await query(BACKLOG)) as [
        number,
        number,
        number | null,
      ][]
      return { waiting: Math.max(0, unfinished - running), running, oldest: oldest ?? undefined }
    },

    /** Throws if the store cannot answer, or is damaged. */
    check: async (): Promise<void> => void (await query('select project_id from projects limit 1')),
  }
}

/** A job as text: its position and its picture, then the fields, which end with its id. `json`: see `Words`. */
export const jobText = (json: Words['json']) =>
  `concat(position, ':', ${PICTURE}, '"url":{"url":', ${json('url')}, ',"name":', ${json('name')},
     ',"loadingTime":', loading_time, '},"meta":{"created":', created, '},"screenshotParameter":{"height":', height,
     ',"width":', width, ',"basepath":', ${json('basepath')}, ',"name":"', uuid, '"}')`

/** The id of a job, and what follows it in its text. */
const ID_END = 36 + '"}'.length

/** `texts`: null if there are none. */
function toJobTexts(texts: unknown): JobText[] {
  if (texts === null) return []
  return (texts as string).split(BETWEEN_JOBS).map((text) => toJobText(text))
}

/** `end`: the end of the text of the job, if something follows. */
export function toJobText(text: string, end = text.length): JobText {
  const picture = text.indexOf(':') + 1
  const fields = text.indexOf('"', picture)
  return {
    position: Number(text.slice(0, picture - 1)),
    uuid: text.slice(end - ID_END, end - 2),
    picture: text.slice(picture, fields),
    fields: text.slice(fields, end),
  }
}

export function toProject(row: readonly unknown[]): Project {
  const [projectId, name, created, revision] = row as [string, string, number, string]
  return { projectId, name, created, revision }
}

export function toRootHead(row: readonly unknown[]): RootHead {
  const [rootId, created, revision, jobCount, digest] = row as [string, number, string, number, string]
  return { rootId, created, revision, jobCount, digest }
}

/** The columns of a head, and then the texts of its jobs. */
function toRootTexts(row: readonly unknown[]): RootTexts {
  return { head: toRootHead(row), jobs: toJobTexts(row[HEAD_COLUMNS]) }
}

/** The columns of a head, the first and the last position (null if there are none), and all positions if there are gaps. */
function toRootPositions(row: readonly unknown[]): RootPositions {
  const [first, last, only] = row.slice(HEAD_COLUMNS) as [number | null, number | null, string | null]
  return {
    head: toRootHead(row),
    first: first ?? 0,
    last: last ?? -1,
    only: only === null ? undefined : only.split(',').map(Number),
  }
}

export function toApiKey(row: readonly unknown[]): ApiKey {
  const [keyId, projectId, scope, label, created, revoked] = row as [
    string,
    string | null,
    ApiKey['scope'],
    string,
    number,
    number | null,
  ]
  return { keyId, projectId: projectId ?? undefined, scope, label, created, revoked: revoked ?? undefined }
}

type JobRow = [number, string, string, string, string, number, number, string, number, number]

/** `json`: an array of jobs, each an array of its columns. Null if there are none. */
function toJobs(rootId: unknown, json: unknown): Job[] {
  const rows = JSON.parse((json as string | null) ?? '[]') as JobRow[]
  return rows.map(([position, uuid, picture, url, name, loadingTime, created, basepath, width, height]) => ({
    ...{ rootId: rootId as string, position, uuid, picture, url, name, loadingTime },
    ...{ created, basepath, width, height },
  }))
}
