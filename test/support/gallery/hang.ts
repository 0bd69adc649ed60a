import { randomUUID } from 'node:crypto'
import type { Storage } from '../../../src/storage.ts'
import { startService, type TestService } from '../http/service.ts'
import { addPictures, makePng, submittedJob } from '../store/results.ts'
import { COLOURS, type Hung } from './hang-many.ts'

// A gallery with pictures in it.

export const PAGES = ['Home', 'Pricing', 'About', 'Contact'] as const
export const DAY_MS = 86_400_000

export function addressOf(page: (typeof PAGES)[number]): string {
  return `https://site.example/${page === 'Home' ? '' : page.toLowerCase()}`
}

/** A project with roots a day apart, each with all pages; the pages of every root look different. */
export async function hangRoots(
  storage: Storage,
  { roots = 3, now = Date.now(), name = 'Our site' }: { roots?: number; now?: number; name?: string } = {},
): Promise<Hung> {
  const projectId = randomUUID()
  await storage.store.createProject({ projectId, name, created: now })
  const rootIds: string[] = []
  for (let index = 0; index < roots; index++) {
    const png = await makePng(600, 400, COLOURS[index % COLOURS.length])
    const rootId = randomUUID()
    const jobs = PAGES.map((page) => submittedJob(png, { name: page, url: addressOf(page) }))
    await addPictures(storage, projectId, { rootId, created: now - (roots - index) * DAY_MS, jobs })
    rootIds.unshift(rootId)
  }
  return { projectId, rootIds }
}

/** The service with such a project. What is asked for waits, for the test to do with it what it likes. */
export async function startHung(env: Record<string, string> = {}): Promise<TestService & Hung> {
  const service = await startService({ CAPTURE_CONCURRENCY: '0', ...env })
  return Object.assign(service, await hangRoots(service, { now: service.now }))
}
