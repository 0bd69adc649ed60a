import { randomUUID } from 'node:crypto'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storage } from '../../src/storage.ts'
import { addPictures, makePng, newJob, submittedJob } from './results.ts'
import { startService, type TestService } from './service.ts'

// A gallery with pictures in it.

export const PAGES = ['Home', 'Pricing', 'About', 'Contact'] as const
export const DAY_MS = 86_400_000

export function addressOf(page: (typeof PAGES)[number]): string {
  return `https://site.example/${page === 'Home' ? '' : page.toLowerCase()}`
}

const COLOURS = ['#1f6feb', '#1a7f37', '#bf3989', '#9a6700']

export interface Hung {
  readonly projectId: string
  /** Newest first. */
  readonly rootIds: readonly string[]
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

/** The service with such a project. */
export async function startHung(env: Record<string, string> = {}): Promise<TestService & Hung> {
  const service = await startService(env)
  return Object.assign(service, await hangRoots(service, { now: service.now }))
}

/** Very many pictures of few: rows as an import makes them, files that are links to the same bytes. */
export async function hangMany(
  { store, dataDir }: Storage & { dataDir: string },
  { roots, jobsPerRoot, now }: { roots: number; jobsPerRoot: number; now: number },
): Promise<Hung> {
  const projectId = randomUUID()
  await store.createProject({ projectId, name: 'Very many', created: now })
  const folder = join(dataDir, 'images', projectId)
  await mkdir(folder, { recursive: true })
  const samples = await Promise.all(
    COLOURS.map(async (colour, index) => {
      const path = join(folder, `sample-${index}`)
      await writeFile(path, await makePng(400, 240, colour))
      return path
    }),
  )
  const rootIds: string[] = []
  for (let index = 0; index < roots; index++) {
    const rootId = randomUUID()
    const created = now - (roots - index) * 3_600_000
    const jobs = Array.from({ length: jobsPerRoot }, (_, position) =>
      newJob({
        created,
        name: `Page ${position}`,
        url: `https://site.example/${position}`,
        width: 400,
        height: 240,
      }),
    )
    await Promise.all(
      jobs.flatMap(({ uuid }, position) => {
        const sample = samples[position % samples.length] as string
        return [`${uuid}.png`, `${uuid}-preview.png`].map((name) => link(sample, join(folder, name)))
      }),
    )
    await store.addRoot({ projectId, rootId, created, digest: rootId, jobs }, async () => {})
    rootIds.unshift(rootId)
  }
  return { projectId, rootIds }
}
