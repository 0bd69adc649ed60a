import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { type Intake, importRoot } from '../intake/import-root.ts'
import type { SubmittedJob } from '../intake/submission.ts'
import type { NewRequest } from '../store/captures.ts'
import type { Store } from '../store/store.ts'
import { addressOf } from './site.ts'
import { DEMO_PROJECT_ID, history, newest, optionsOf, type Sight, sightsOf, type Visit } from './visits.ts'

const DAY_MS = 86_400_000
/** The same path from `src/` and from `dist/`. */
const PICTURES = new URL('../../assets/demo/pictures/', import.meta.url)
/** The limits of the settings are for other people's pictures. */
const LIMITS = { jobsPerRoot: 100, pictureBytes: 10_000_000, picturePixels: 50_000_000 }

/** Makes the project of the demo if the store has no projects. */
export async function startDemo(store: Store, created: number): Promise<void> {
  if ((await store.listProjects({ limit: 1 })).length > 0) return
  await store.createProject({ projectId: DEMO_PROJECT_ID, name: 'Demo', created }).catch(ignoreTaken)
}

/**
 * Adds to the demo what is still missing: half a year of imported history, and the newest root, which is captured now, or
 * imported if there is no browser. Returns whether it is being captured. `ask`: requests the newest root, with this id. Throws AppError
 * `no_browser` if it cannot be captured.
 */
export async function fillDemo(
  intake: Omit<Intake, 'limits'>,
  signal: AbortSignal,
  ask: (request: Pick<NewRequest, 'options' | 'pages'>, rootId: string) => Promise<void>,
): Promise<boolean> {
  const { store } = intake
  // Times are relative to the project's, so that a second attempt makes the same roots.
  const { created = 0 } = (await store.findProject(DEMO_PROJECT_ID)) ?? {}
  for (const visit of history) {
    signal.throwIfAborted()
    await importVisit(intake, visit, created)
  }
  signal.throwIfAborted()
  if (await store.findRoot(DEMO_PROJECT_ID, newest.rootId)) return false
  try {
    const pages = sightsOf(newest).map(({ page, name }) => ({
      url: addressOf(page),
      name,
      loadingTime: DEFAULT_LOADING_TIME,
    }))
    await ask({ options: optionsOf(newest), pages }, newest.rootId)
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'no_browser') throw error
    await importVisit(intake, newest, created)
    return false
  }
}

/** How much of the demo is there, and whether it is complete. */
export async function countDemo(store: Store): Promise<{ roots: number; pictures: number; whole: boolean }> {
  const visits = [...history, newest]
  const heads = await Promise.all(visits.map(({ rootId }) => store.findRoot(DEMO_PROJECT_ID, rootId)))
  const there = heads.filter((head) => head !== undefined)
  return {
    roots: there.length,
    pictures: there.reduce((sum, { jobCount }) => sum + jobCount, 0),
    whole: visits.every((visit, index) => heads[index]?.jobCount === sightsOf(visit).length),
  }
}

async function importVisit(intake: Omit<Intake, 'limits'>, visit: Visit, now: number): Promise<void> {
  const { rootId, daysAgo } = visit
  if (!(await intake.store.findRoot(DEMO_PROJECT_ID, rootId))) {
    await importRoot({ ...intake, limits: LIMITS }, DEMO_PROJECT_ID, {
      rootId,
      created: now - daysAgo * DAY_MS,
      jobs: sightsOf(visit).map(toSubmittedJob),
    }).catch(ignoreTaken)
  }
  // Also for a root that is there: an earlier start may have been killed before this step.
  await tag(intake.store, visit)
}

function toSubmittedJob({ page, name, file }: Sight): SubmittedJob {
  const path = fileURLToPath(new URL(file, PICTURES))
  return { url: addressOf(page), name, image: { label: path, read: () => readFile(path) } }
}

/** Adds a request to an imported root: only requests have tags. */
async function tag(store: Store, visit: Visit): Promise<void> {
  const { rootId } = visit
  const jobs = await store.jobsOf(DEMO_PROJECT_ID, [rootId])
  await store.captures.adopt(DEMO_PROJECT_ID, rootId, {
    options: optionsOf(visit),
    created: jobs[0]?.created ?? 0,
    idempotencyKey: undefined,
    version: 1,
    finished: undefined,
    captures: jobs.map(({ created, ...job }) => ({
      ...job,
      state: 'done',
      attempts: 1,
      failed: undefined,
      seen: undefined,
      cut: false,
      changed: 1,
      queued: created,
      started: created,
      finished: created,
    })),
  })
}

/** Another process did the same at the same time. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}
