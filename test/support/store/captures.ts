import { randomUUID } from 'node:crypto'
import type { CaptureOptions } from '../../../src/contract/capture-options.ts'
import type { Seen } from '../../../src/contract/seen.ts'
import type { Captured, CaptureTask, Failed, NewRequest, RequestedPage } from '../../../src/store/captures.ts'
import type { Store } from '../../../src/store/store.ts'

/** An ordinary page, with the given exceptions. */
export function newSeen(odd: Partial<Seen> = {}): Seen {
  const plain = { status: 200, url: 'https://example.com/', title: 'A page', failedResources: 0, marks: [] }
  return { ...plain, ...odd }
}

export const PICTURE: Captured = { width: 1200, height: 720, basepath: '/tmp', seen: newSeen() }
export const FAILURE: Failed = { reason: 'dns', detail: 'There is no such host.' }

export function somePages(count: number): RequestedPage[] {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://example.com/${index}`,
    name: `Page ${index}`,
    loadingTime: 15_000 + index,
  }))
}

export interface RequestChanges extends Partial<Omit<NewRequest, 'pages' | 'options'>> {
  readonly pages?: number
  readonly options?: Partial<CaptureOptions> | undefined
}

export function newRequest(
  projectId: string,
  { pages = 1, options, ...more }: RequestChanges = {},
): NewRequest {
  return {
    projectId,
    rootId: randomUUID(),
    created: 1_700_000_000_000,
    digest: 'digest',
    idempotencyKey: undefined,
    options: { width: 1200, height: 720, fullPage: true, tags: [], ...options },
    pages: somePages(pages),
    ...more,
  }
}

/** Begins every capture that is due at this time, in order. */
export async function takeAll(
  { captures }: Store,
  options: { now: number; leaseMs: number; rootId?: string },
): Promise<CaptureTask[]> {
  const tasks: CaptureTask[] = []
  for (;;) {
    const task = await captures.takeNext(options)
    if (!task) return tasks
    tasks.push(task)
  }
}

/** All data that answers are made of, to be compared as a whole. */
export async function answersAbout(store: Store, projectId: string, rootId: string) {
  return {
    project: await store.findProject(projectId),
    root: await store.findRoot(projectId, rootId),
    jobs: await store.jobsOf(projectId, [rootId]),
    progress: await store.captures.findProgress(projectId, rootId),
    versions: await store.captures.findVersions([{ projectId, rootId }]),
  }
}
