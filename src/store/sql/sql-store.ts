import type { Browsing } from '../browsing.ts'
import type { ApiKey, Project, RootHead, Store } from '../store.ts'
import type { Reads } from './reads.ts'
import { together } from './together.ts'
import type { Writes } from './writes.ts'

/** The length of an id. */
const ID = 36

/** A store on an SQL engine. `loadWrites` is called when it is first needed: a service that only reads never loads it. */
export function createSqlStore({
  reads,
  browsing,
  loadWrites,
  connections = () => undefined,
  close,
}: {
  reads: Reads
  browsing: Browsing
  loadWrites: () => Promise<Writes>
  connections?: Store['connections']
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
  const captures = async () => (await writes()).captures
  const findProject = together<Project | undefined>((ids) => reads.findProjects(ids))
  const findRoot = together<RootHead | undefined>((keys) =>
    reads.findRoots(keys.map((key) => ({ projectId: key.slice(0, ID), rootId: key.slice(ID) }))),
  )
  const findKey = together<ApiKey | undefined>((hashes) => reads.findKeys(hashes))
  return {
    findProject,
    findRoot: (projectId, rootId) => findRoot(projectId + rootId),
    findKey,
    listProjects: (page) => reads.listProjects(page),
    pageRoots: (projectId, page) => reads.pageRoots(projectId, page),
    jobsOf: (projectId, rootIds) => reads.jobsOf(projectId, rootIds),
    textsOf: (projectId, rootIds) => reads.textsOf(projectId, rootIds),
    pageTexts: (projectId, rootId, page) => reads.pageTexts(projectId, rootId, page),
    check: () => reads.check(),
    connections,
    browsing,

    createProject: async (project) => (await writes()).createProject(project),
    countProjects: async () => (await writes()).countProjects(),
    addRoot: async (root, publish) => (await writes()).addRoot(root, publish),
    createKey: async (key) => (await writes()).createKey(key),
    listKeys: async (projectId) => (await writes()).listKeys(projectId),
    revokeKey: async (keyId, at) => (await writes()).revokeKey(keyId, at),

    captures: {
      anyUnfinished: () => reads.anyUnfinished(),
      anyDueSince: async (then) => (await captures()).anyDueSince(then),
      findBacklog: () => reads.findBacklog(),
      accept: async (request, also) => (await captures()).accept(request, also),
      takeNext: async (options) => (await captures()).takeNext(options),
      take: async (capture, lease) => (await captures()).take(capture, lease),
      renew: async (attempt, until) => (await captures()).renew(attempt, until),
      finish: async (attempt, outcome, now) => (await captures()).finish(attempt, outcome, now),
      letGo: async (root) => (await captures()).letGo(root),
      putBack: async (attempt, options) => (await captures()).putBack(attempt, options),
      findProgress: async (projectId, rootId) => (await captures()).findProgress(projectId, rootId),
      adopt: async (projectId, rootId, progress) => (await captures()).adopt(projectId, rootId, progress),
      findVersions: async (roots) => (await captures()).findVersions(roots),
    },
    close,
  }
}
