import type { Backlog } from '../captures.ts'
import type { JobText, RootPositions, RootTexts } from '../job-text.ts'
import type { ApiKey, Job, Project, RootHead, RootKey, Store } from '../store.ts'

export interface WantedKey {
  readonly hash: string
  /** A hash of the id of the session that has the key. Empty: none. */
  readonly session: string
}

/**
 * The read path, in SQL of the engine, written by hand. Rows are arrays, and the jobs of a root are one text: that is several
 * times as fast as a row for each job. Look-ups take many keys, because look-ups that arrive together share one query.
 */
export interface Reads
  extends Pick<
    Store,
    | 'listProjects'
    | 'pageRoots'
    | 'jobsOf'
    | 'pageJobs'
    | 'textsOf'
    | 'pageTexts'
    | 'findPositions'
    | 'textsBetween'
    | 'check'
  > {
  /** One project for each id, in their order. */
  findProjects(projectIds: readonly string[]): Promise<(Project | undefined)[]>
  findRoots(keys: readonly RootKey[]): Promise<(RootHead | undefined)[]>
  findVersions(keys: readonly RootKey[]): Promise<(number | undefined)[]>
  findKeys(keys: readonly WantedKey[]): Promise<(ApiKey | undefined)[]>
  findIdentity(name: string): Promise<string | undefined>
  /** Whether any capture is queued or under way. */
  anyUnfinished(): Promise<boolean>
  findBacklog(): Promise<Backlog>
}

/** Two small indexes. Those of unfinished captures also have the scheduled ones, of which there may be many. */
export const ANY_UNFINISHED = `select 1 where exists (select 1 from captures where state = 'queued')
  or exists (select 1 from captures where state = 'running')`
/** Selects the number of unfinished captures, of captures under way, and since when the oldest waits. */
export const BACKLOG = `select
  cast((select coalesce(sum(waiting), 0) from turns where waiting > 0) as bigint),
  (select count(*) from captures where state = 'running'),
  (select min(queued) from captures where state = 'queued')`

// The columns, in the order for the functions below.

export const PROJECT = 'project_id, name, created, revision'
export const HEAD = 'root_id, created, revision, job_count, digest'
const HEAD_COLUMNS = HEAD.split(',').length
export const KEY = 'key_id, project_id, scope, label, created, revoked'
/** The name of the picture of a job. */
const PICTURE = 'coalesce(picture, cast(uuid as text))'
/** The columns of a job, in the JSON that is made of it. */
export const JOB = `position, uuid, ${PICTURE}, url, name, loading_time, created, basepath, width, height`

/** The code of the separator between the texts of jobs. JSON escapes it in names and addresses. */
export const BETWEEN_JOBS = 30

/** A job as text: its position and its picture, then the fields, which end with its id. `quote`: the function of the engine that makes JSON of text. */
export const jobText = (quote: (column: string) => string) =>
  `concat(position, ':', ${PICTURE}, '"url":{"url":', ${quote('url')}, ',"name":', ${quote('name')},
     ',"loadingTime":', loading_time, '},"meta":{"created":', created, '},"screenshotParameter":{"height":', height,
     ',"width":', width, ',"basepath":', ${quote('basepath')}, ',"name":"', uuid, '"}')`

/** The id of a job, and what follows it in its text. */
const ID_END = 36 + '"}'.length

/** `texts`: null if there are none. */
export function toJobTexts(texts: unknown): JobText[] {
  if (texts === null) return []
  return String(texts)
    .split(String.fromCharCode(BETWEEN_JOBS))
    .map((text) => toJobText(text))
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

/**
 * A root and the positions of its jobs. `shown` selects the root, `of` its jobs. `list`: the function of the engine that joins
 * numbers with commas.
 */
export const positionsOf = (shown: string, of: string, list: (column: string) => string) =>
  `select ${HEAD}, first, last, case when last - first >= jobs then
     (select ${list('position')} from (select position ${of} order by position) ascending) end
   from (select *, (select min(position) ${of}) as first, (select max(position) ${of}) as last,
     (select count(*) ${of}) as jobs from (${shown}) shown) counted`

export function toBacklog(row: readonly unknown[]): Backlog {
  const [unfinished, running, oldest] = row as [number, number, number | null]
  return { waiting: Math.max(0, unfinished - running), running, oldest: oldest ?? undefined }
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
export function toRootTexts(row: readonly unknown[]): RootTexts {
  return { head: toRootHead(row), jobs: toJobTexts(row[HEAD_COLUMNS]) }
}

/** The columns of a head, the first and the last position (null if there are none), and all positions if there are gaps. */
export function toRootPositions(row: readonly unknown[]): RootPositions {
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

/** `json`: an array of jobs, each an array of its columns. */
export function toJobs(rootId: string, json: string): Job[] {
  return (JSON.parse(json) as JobRow[]).map(
    ([position, uuid, picture, url, name, loadingTime, created, basepath, width, height]) => ({
      rootId,
      position,
      uuid,
      picture,
      url,
      name,
      loadingTime,
      created,
      basepath,
      width,
      height,
    }),
  )
}
