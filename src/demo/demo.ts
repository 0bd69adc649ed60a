import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DEFAULT_BASEPATH, DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { type Intake, importRoot } from '../intake/import-root.ts'
import type { SubmittedJob } from '../intake/submission.ts'
import type { NewRequest } from '../store/captures.ts'
import type { Store } from '../store/store.ts'
import { DEMO_PROJECT_ID } from './project-id.ts'
import { addressOf } from './site/serve-site.ts'
import { history, newest, type Sight, sightsOf, type Visit } from './visits.ts'

const DAY_MS = 86_400_000
/** The same beside `src/` and beside `dist/`. */
const PICTURES = new URL('../../assets/demo/', import.meta.url)
/** The operator's limits are for strangers' pictures. */
const LIMITS = { jobsPerRoot: 100, pictureBytes: 10_000_000, picturePixels: 50_000_000 }
/** A second start does not ask again. */
const IDEMPOTENCY_KEY = 'demo'

export interface DemoTools {
  /** Asks for the newest root. Throws AppError `no_browser` where it cannot be captured. */
  ask(
    request: Pick<NewRequest, 'width' | 'height' | 'fullPage' | 'tags' | 'pages'>,
    idempotencyKey: string,
  ): Promise<unknown>
  readonly signal: AbortSignal
}

/** Makes the demo's project in an empty store. False where there is any other: such a store is left alone. */
export async function startDemo(store: Store, clock: () => number): Promise<boolean> {
  const projects = await store.listProjects({ limit: 2 })
  if (projects.some(({ projectId }) => projectId !== DEMO_PROJECT_ID)) return false
  if (projects.length === 0) {
    await store
      .createProject({ projectId: DEMO_PROJECT_ID, name: 'Demo', created: clock() })
      .catch(ignoreTaken)
  }
  return true
}

/**
 * Fills the demo's project with what an earlier start has not: half a year of history, from pictures, and the newest
 * root, captured now or, without a browser, from pictures as well. Answers how the newest came, or that all was there.
 */
export async function fillDemo(
  intake: Omit<Intake, 'limits'>,
  { ask, signal }: DemoTools,
): Promise<'captured' | 'imported' | 'there'> {
  // Times follow from the project's, so that a second attempt makes the very same roots.
  const { created = 0 } = (await intake.store.findProject(DEMO_PROJECT_ID)) ?? {}
  const roots = await intake.store.pageRoots(DEMO_PROJECT_ID, { limit: history.length + 1 })
  for (const visit of history) {
    if (roots.some(({ rootId }) => rootId === visit.rootId)) continue
    signal.throwIfAborted()
    await importVisit(intake, visit, created)
  }
  if (roots.some(({ rootId }) => history.every((visit) => visit.rootId !== rootId))) return 'there'
  signal.throwIfAborted()
  try {
    const { views, tags } = newest
    const pages = sightsOf(newest).map(({ page, name }) => ({
      url: addressOf(page),
      name,
      loadingTime: DEFAULT_LOADING_TIME,
    }))
    await ask({ ...views[0], tags, pages }, IDEMPOTENCY_KEY)
    return 'captured'
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'no_browser') throw error
    await importVisit(intake, newest, created)
    return 'imported'
  }
}

async function importVisit(intake: Omit<Intake, 'limits'>, visit: Visit, now: number): Promise<void> {
  const { rootId, daysAgo, tags } = visit
  await importRoot({ ...intake, limits: LIMITS }, DEMO_PROJECT_ID, {
    rootId,
    created: now - daysAgo * DAY_MS,
    jobs: sightsOf(visit).map(toSubmittedJob),
  }).catch(ignoreTaken)
  await tag(intake.store, visit, tags)
}

function toSubmittedJob({ page, name, file }: Sight): SubmittedJob {
  const path = fileURLToPath(new URL(file, PICTURES))
  return {
    ...{ uuid: undefined, created: undefined, width: undefined, height: undefined, preview: undefined },
    url: addressOf(page),
    name,
    loadingTime: DEFAULT_LOADING_TIME,
    basepath: DEFAULT_BASEPATH,
    image: { label: path, read: () => readFile(path) },
  }
}

/** As if it had been asked for: only what was asked for has tags. */
async function tag(store: Store, { rootId, views }: Visit, tags: readonly string[]): Promise<void> {
  const jobs = await store.jobsOf(DEMO_PROJECT_ID, [rootId])
  const { width = 0, height = 0, fullPage = false } = views[0] ?? {}
  await store.captures.adopt(DEMO_PROJECT_ID, rootId, {
    ...{ width, height, fullPage, tags },
    created: jobs[0]?.created ?? 0,
    idempotencyKey: undefined,
    version: 1,
    captures: jobs.map(({ created, ...job }) => ({
      ...job,
      state: 'done',
      attempts: 1,
      failed: undefined,
      cut: false,
      changed: 1,
      queued: created,
      started: created,
      finished: created,
    })),
  })
}

/** By another start at the same time. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}
