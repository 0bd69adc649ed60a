import { WriteProbe } from '../../files/write-probe.ts'
import type { Browsing } from '../browsing.ts'
import type { ApiKey, Project, RootHead, RootKey, Store } from '../store.ts'
import type { Reads, WantedKey } from './reads.ts'
import { together } from './together.ts'
import type { Writes } from './writes.ts'

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

/** A store on an SQL engine. `loadWrites` is called with the first write: a service that only reads never loads that code. */
export function createSqlStore({
  reads,
  browsing,
  loadWrites,
  connections = () => undefined,
  findDamage = async () => undefined,
  warnings = [],
  writing,
  close,
}: {
  reads: Reads
  browsing: Browsing
  loadWrites: () => Promise<Writes>
  connections?: Store['connections']
  findDamage?: Store['findDamage']
  warnings?: Store['warnings']
  writing: Writing
  close: () => Promise<void>
}): Store {
  let loading: Promise<Writes> | undefined
  const writes = () => {
    loading ??= loadWrites().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const probe = new WriteProbe(async (failed) => {
    if (!failed) return await writing.check()
    writing.afterFailure?.()
    await (await writes()).tryWriting()
  })
  writing.onFailure(() => probe.fail())
  const captures = async () => (await writes()).captures
  const findProject = together<Project | undefined>((ids) => reads.findProjects(ids))
  const findRoot = together<RootHead | undefined>((keys) => reads.findRoots(keys.map(toRootKey)))
  const findVersion = together<number | undefined>((keys) => reads.findVersions(keys.map(toRootKey)))
  const findKey = together<ApiKey | undefined>((keys) => reads.findKeys(keys.map(toWantedKey)))
  return {
    findProject,
    findRoot: (projectId, rootId) => findRoot(projectId + rootId),
    findKey: (hash, session = '') => findKey(`${hash} ${session}`),
    listProjects: (page) => reads.listProjects(page),
    pageRoots: (projectId, page) => reads.pageRoots(projectId, page),
    jobsOf: (projectId, rootIds) => reads.jobsOf(projectId, rootIds),
    pageJobs: (projectId, rootId, page) => reads.pageJobs(projectId, rootId, page),
    textsOf: (projectId, rootIds) => reads.textsOf(projectId, rootIds),
    pageTexts: (projectId, rootId, page) => reads.pageTexts(projectId, rootId, page),
    findPositions: (projectId, rootId) => reads.findPositions(projectId, rootId),
    textsBetween: (projectId, root, range) => reads.textsBetween(projectId, root, range),
    check: () => reads.check(),
    checkWriting: () => probe.check(),
    hasFailedToWrite: () => probe.failed,
    connections,
    findDamage,
    warnings,
    prepareToWrite: async () => void (await writes()),
    browsing,

    createProject: async (project) => (await writes()).createProject(project),
    renameProject: async (projectId, name, revision) =>
      (await writes()).renameProject(projectId, name, revision),
    countProjects: async () => (await writes()).countProjects(),
    addRoot: async (root, publish) => (await writes()).addRoot(root, publish),
    findTaken: async (projectId, uuids) => (await writes()).findTaken(projectId, uuids),
    whileFree: async (projectId, uuids, work) => (await writes()).whileFree(projectId, uuids, work),
    createKey: async (key) => (await writes()).createKey(key),
    listKeys: async (page) => (await writes()).listKeys(page),
    revokeKey: async (keyId, at) => (await writes()).revokeKey(keyId, at),

    findIdentity: (name) => reads.findIdentity(name),
    keepIdentity: async (name, value) => (await writes()).keepIdentity(name, value),
    followTime: async (name, options) => (await writes()).followTime(name, options),

    captures: {
      anyUnfinished: () => reads.anyUnfinished(),
      anyDueSince: async (then) => (await captures()).anyDueSince(then),
      findBacklog: () => reads.findBacklog(),
      accept: async (request, limits) => (await captures()).accept(request, limits),
      takeNext: async (options) => (await captures()).takeNext(options),
      anySuspect: async (now) => (await captures()).anySuspect(now),
      findUnderWay: async () => (await captures()).findUnderWay(),
      renew: async (attempt, until) => (await captures()).renew(attempt, until),
      finish: async (attempt, outcome, now) => (await captures()).finish(attempt, outcome, now),
      letGo: async (root, now) => (await captures()).letGo(root, now),
      putBack: async (attempt, options) => (await captures()).putBack(attempt, options),
      findProgress: async (projectId, rootId) => (await captures()).findProgress(projectId, rootId),
      findFailed: async (projectId, rootId, position) =>
        (await captures()).findFailed(projectId, rootId, position),
      findChanges: async (projectId, rootId, since) =>
        (await captures()).findChanges(projectId, rootId, since),
      adopt: async (projectId, rootId, progress) => (await captures()).adopt(projectId, rootId, progress),
      findVersion: (projectId, rootId) => findVersion(projectId + rootId),
      findVersions: (roots) => reads.findVersions(roots),
    },
    events: later(async () => (await writes()).events),
    removals: {
      async *removeRoot(projectId, rootId, now) {
        yield* (await writes()).removals.removeRoot(projectId, rootId, now)
      },
      removeJob: async (projectId, uuid, now) => (await writes()).removals.removeJob(projectId, uuid, now),
      async *removeProject(projectId, now) {
        yield* (await writes()).removals.removeProject(projectId, now)
      },
      findInterrupted: async () => (await writes()).removals.findInterrupted(),
      findLast: async (projectId) => (await writes()).removals.findLast(projectId),
      forgetProject: async (projectId) => (await writes()).removals.forgetProject(projectId),
    },
    scheduledRoots: later(async () => (await writes()).scheduledRoots),
    schedules: later(async () => (await writes()).schedules),
    webhooks: later(async () => (await writes()).webhooks),
    deliveries: later(async () => (await writes()).deliveries),
    templates: later(async () => (await writes()).templates),
    endedSessions: later(async () => (await writes()).endedSessions),
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

type AsyncMethods<T> = { [K in keyof T]: (...args: never[]) => Promise<unknown> }

/** Each method waits until the code for writing is loaded. */
function later<T extends AsyncMethods<T>>(load: () => Promise<T>): T {
  return new Proxy({} as T, {
    get:
      (_, name) =>
      async (...args: never[]) =>
        (await load())[name as keyof T](...args),
  })
}
