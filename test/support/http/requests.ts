import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { RootStatus } from '../../../src/contract/status.ts'
import { openStorage } from '../../../src/service/storage.ts'
import type { Captured, CaptureTask, Failed } from '../../../src/store/captures.ts'
import type { Store } from '../../../src/store/store.ts'
import { KEYS } from '../servers/keys.ts'
import type { SharedPostgres } from '../servers/shared-postgres.ts'
import { newSeen } from '../store/captures.ts'
import { makeProject, rootsUrl } from '../store/results.ts'
import { startService, type TestService } from './service.ts'

export const DONE: Captured = { width: 1200, height: 720, basepath: '/tmp', seen: newSeen() }
export const FAILED: Failed = { reason: 'dns', detail: 'nowhere.example was not found.' }

type NewWorld = () => Promise<Record<string, string>>

/**
 * Both databases, by name, with pictures in a folder: their place makes no difference to accepting requests. First the
 * one that is shared by a file of tests, in which each has its own projects, then an empty one.
 */
export function bothDatabases(postgres: SharedPostgres): [string, NewWorld, NewWorld][] {
  let shared: Promise<string> | undefined
  const sharedDatabase = () => {
    shared ??= postgres.newDatabase()
    return shared
  }
  const sqlite: NewWorld = async () => ({})
  return [
    ['SQLite', sqlite, sqlite],
    [
      'PostgreSQL',
      async () => ({ DATABASE_URL: await sharedDatabase(), ...KEYS }),
      async () => ({ DATABASE_URL: await postgres.newDatabase(), ...KEYS }),
    ],
  ]
}

export interface Accepting extends TestService {
  readonly projectId: string
  post(body: unknown, more?: PostOptions): Promise<Response>
  /** Requests this many pages, and returns the root. */
  accept(pages?: number, more?: Record<string, unknown>): Promise<string>
}

export interface PostOptions {
  readonly projectId?: string
  readonly headers?: Record<string, string>
  /** Sent unchanged, instead of the body as JSON. */
  readonly raw?: string | Buffer<ArrayBuffer>
}

/** A service that accepts requests and captures nothing: tests move captures through its store. */
export async function startAccepting(env: Record<string, string> = {}): Promise<Accepting> {
  const service = await startService({ CAPTURE_CONCURRENCY: '0', ...env })
  const projectId = await makeProject(service.store)
  const post: Accepting['post'] = (body, more = {}) =>
    fetch(`${service.url}/api/projects/${more.projectId ?? projectId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more.headers },
      body: more.raw ?? JSON.stringify(body),
    })
  return Object.assign(service, {
    projectId,
    post,
    async accept(pages = 1, more: Record<string, unknown> = {}) {
      const response = await post({ ...newRequest(pages), ...more })
      return ((await response.json()) as { jobId: string }).jobId
    },
  })
}

export function newRequest(pages = 1) {
  return {
    screenshotParameter: { width: 1200, height: 720 },
    urls: Array.from({ length: pages }, (_, index) => newPage(index)),
  }
}

export function newPage(index = 0) {
  return { url: `https://example.com/${index}`, name: `Page ${index}` }
}

/** Begins the next capture of the root. */
export async function begin(store: Store, rootId: string, now = 1): Promise<CaptureTask> {
  const task = await store.captures.takeNext({ now, leaseMs: 1e12, rootId })
  if (!task) throw new Error('nothing is due')
  return task
}

export async function finishNext(
  store: Store,
  rootId: string,
  outcome: Captured | Failed = DONE,
): Promise<void> {
  await store.captures.finish(await begin(store, rootId), outcome, 2)
}

/** A store as in another process, which shares only the database. */
export async function openBeside({ dataDir, databaseUrl }: TestService): Promise<Store> {
  const { store, close } = await openStorage(
    readConfig({ DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl, ...KEYS }) }),
  )
  onTestFinished(close)
  return store
}

export function statusUrl(projectId: string, rootId: string): string {
  return `${rootsUrl(projectId)}/${rootId}/status`
}

export function eventsUrl(projectId: string, rootId: string): string {
  return `${rootsUrl(projectId)}/${rootId}/events`
}

export async function readStatus(service: Accepting, rootId: string): Promise<RootStatus> {
  return (await (await service.get(statusUrl(service.projectId, rootId))).json()) as RootStatus
}

/** Counts the reads of the database for waiting requests. */
export function countLooks({ store }: TestService): () => number {
  let looks = 0
  const findVersions = store.captures.findVersions.bind(store.captures)
  store.captures.findVersions = async (roots) => {
    looks++
    return await findVersions(roots)
  }
  return () => looks
}

/** Expects that no request waits any more: each would read every half second. A read that has begun may still come. */
export async function expectNoLooks(looks: () => number): Promise<void> {
  const soon = async () => {
    const before = looks()
    await sleep(1_100)
    return looks() - before
  }
  await expect.poll(soon).toBe(0)
}

/**
 * Whether a pointer (RFC 6901, as a fragment) leads to something in the body, or one step beyond, to something
 * missing.
 */
export function leadsInto(body: unknown, pointer: string): boolean {
  if (!/^#(\/[\x21-\x7e]*)?$/.test(pointer)) return false
  const names = pointer.slice(1).split('/').slice(1).map(unescapeName)
  const last = names.pop()
  let value = body
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = Reflect.get(value, name)
  }
  return last === undefined || (typeof value === 'object' && value !== null)
}

function unescapeName(text: string): string {
  return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~')
}
