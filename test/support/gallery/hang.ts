import { randomUUID } from 'node:crypto'
import { PREVIEW_WIDTH } from '../../../src/picture/picture.ts'
import type { Storage } from '../../../src/service/storage.ts'
import { startService, type TestService } from '../http/service.ts'
import { pictureKey, previewKey } from '../store/image-keys.ts'
import { makePng, newJob } from '../store/results.ts'
import { COLOURS, type Hung } from './hang-many.ts'

// A gallery with pictures in it.

export const PAGES = ['Home', 'Pricing', 'About', 'Contact'] as const
export const DAY_MS = 86_400_000

export function addressOf(page: (typeof PAGES)[number]): string {
  return `https://site.example/${page === 'Home' ? '' : page.toLowerCase()}`
}

/**
 * A project with roots a day apart, each with all pages; the pages of every root look different. Like an import, except that
 * the previews are not made again for every test.
 */
export async function hangRoots(
  storage: Storage,
  { roots = 3, now = Date.now(), name = 'Our site' }: { roots?: number; now?: number; name?: string } = {},
): Promise<Hung> {
  const projectId = randomUUID()
  await storage.store.createProject({ projectId, name, created: now })
  const rootIds: string[] = []
  for (let index = 0; index < roots; index++) {
    const colour = COLOURS[index % COLOURS.length]
    const [picture, preview] = [await makePng(600, 400, colour), await makePng(PREVIEW_WIDTH, 267, colour)]
    const rootId = randomUUID()
    const created = now - (roots - index) * DAY_MS
    const jobs = PAGES.map((page) =>
      newJob({ created, name: page, url: addressOf(page), width: 600, height: 400 }),
    )
    const batch = await storage.images.startBatch()
    for (const { uuid } of jobs) {
      await batch.add(pictureKey(projectId, uuid), picture)
      await batch.add(previewKey(projectId, uuid), preview)
    }
    await storage.store.addRoot({ projectId, rootId, created, digest: rootId, jobs }, () => batch.publish())
    rootIds.unshift(rootId)
  }
  return { projectId, rootIds }
}

/** The service with such a project. Requested captures wait, so that the test can end them as it likes. */
export async function startHung(env: Record<string, string> = {}): Promise<TestService & Hung> {
  const service = await startService({ CAPTURE_CONCURRENCY: '0', ...env })
  return Object.assign(service, await hangRoots(service, { now: service.now }))
}
