import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { importRoot } from '../../../src/intake/import-root.ts'
import type { Imported, SubmittedJob } from '../../../src/intake/submission.ts'
import type { Storage } from '../../../src/service/storage.ts'
import { hashApiKey, makeApiKey } from '../../../src/store/api-key.ts'
import type { KeyScope, NewRoot, Store } from '../../../src/store/store.ts'

export const UNLIMITED = { jobsPerRoot: 10_000, pictureBytes: 100_000_000, picturePixels: 268_402_689 }

const made = new Map<string, Promise<Buffer>>()

/** A picture in one colour. Each is drawn once for all tests of a process, which must not change it. */
export function makePng(width = 64, height = 48, background = '#3366cc'): Promise<Buffer> {
  const name = `${width} ${height} ${background}`
  const known = made.get(name)
  if (known) return known
  const png = sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
  made.set(name, png)
  return png
}

export async function makeProject(store: Store, projectId: string = randomUUID()): Promise<string> {
  await store.createProject({ projectId, name: 'Test', created: 1_700_000_000_000 })
  return projectId
}

/** Without a project: an admin key. */
export async function makeKey(
  store: Store,
  projectId?: string,
  scope: KeyScope = projectId === undefined ? 'admin' : 'read',
) {
  const secret = makeApiKey()
  const keyId = randomUUID()
  const hash = hashApiKey(secret)
  await store.createKey({ keyId, projectId, scope, label: '', created: 1, revoked: undefined, hash })
  return { secret, keyId }
}

export function submittedJob(png: Buffer, more: Partial<SubmittedJob> = {}): SubmittedJob {
  return {
    uuid: undefined,
    created: undefined,
    url: 'https://example.com/',
    name: 'Home',
    loadingTime: 15_000,
    basepath: '/tmp',
    width: undefined,
    height: undefined,
    image: { label: 'picture', read: async () => png },
    preview: undefined,
    ...more,
  }
}

/** A root with real pictures, added like an import. */
export async function addPictures(
  storage: Storage,
  projectId: string,
  root: { rootId?: string; created?: number; jobs: SubmittedJob[] },
): Promise<Imported> {
  const intake = { ...storage, limits: UNLIMITED, clock: () => 1_700_000_000_000 }
  return await importRoot(intake, projectId, { rootId: undefined, created: undefined, ...root })
}

export function newJob(more: Partial<NewRoot['jobs'][number]> = {}): NewRoot['jobs'][number] {
  return {
    uuid: randomUUID(),
    url: 'https://example.com/',
    name: 'Home',
    loadingTime: 15_000,
    created: 1_700_000_000_000,
    basepath: '/tmp',
    width: 1200,
    height: 720,
    ...more,
  }
}

/** Rows without pictures, for tests that only read rows. */
export async function addRows(
  store: Store,
  projectId: string,
  {
    rootId = randomUUID(),
    created = 1_700_000_000_000,
    jobs = 1,
  }: { rootId?: string; created?: number; jobs?: number } = {},
): Promise<string> {
  const rows = Array.from({ length: jobs }, () => newJob({ created }))
  await store.addRoot({ projectId, rootId, created, digest: rootId, jobs: rows }, async () => {})
  return rootId
}

export function rootsUrl(projectId: string): string {
  return `/api/projects/${projectId}/screenshots/root`
}
