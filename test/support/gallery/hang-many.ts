import { randomUUID } from 'node:crypto'
import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '../../../src/store/store.ts'
import { makePng, newJob } from '../store/results.ts'

// For tests and for benches, which run without a test runner.

export const COLOURS = ['#1f6feb', '#1a7f37', '#bf3989', '#9a6700']

export interface Hung {
  readonly projectId: string
  /** Newest first. */
  readonly rootIds: readonly string[]
}

/** Very many rows, like those of an import, whose files are links to the bytes of a few pictures. */
export async function hangMany(
  { store, dataDir }: { store: Store; dataDir: string },
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
