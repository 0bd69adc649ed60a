import type { Camera } from '../camera/camera.ts'
import { DEFAULT_BASEPATH, DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { type Intake, importRoot } from '../intake/import-root.ts'
import type { SubmittedJob } from '../intake/submission.ts'
import type { Store } from '../store/store.ts'
import { DEMO_PROJECT_ID } from './project-id.ts'
import { serveSite } from './site/serve-site.ts'
import { type Look, looks, type PageName, pages, pathOf } from './site/site.ts'

const DAY_MS = 86_400_000
/** No such host exists, nor ever will (RFC 2606): the camera is told where to find it. */
const HOST = 'fernweh.example'
/** The operator's limits are for strangers' pages and pictures. */
export const DEMO_LIMITS = {
  jobsPerRoot: 100,
  pictureBytes: 50_000_000,
  picturePixels: 50_000_000,
  viewportHeight: 10_000,
  pageBytes: 10_000_000,
}

interface View {
  readonly width: number
  readonly height: number
  readonly fullPage: boolean
  readonly pages: readonly PageName[]
  /** Behind the name of the page. */
  readonly suffix: string
}

const DESKTOP: View = { width: 1200, height: 720, fullPage: false, pages, suffix: '' }
const PHONE: View = { width: 390, height: 844, fullPage: false, pages, suffix: ' on a phone' }
const FULL: View = {
  width: 1200,
  height: 720,
  fullPage: true,
  pages: ['docs', 'blog'],
  suffix: ', full page',
}

interface Visit {
  readonly rootId: string
  readonly daysAgo: number
  readonly look: Look
  readonly tags: readonly string[]
  readonly views: readonly View[]
}

/** The same site through half a year. */
const visits: readonly Visit[] = [
  {
    rootId: '0d3a0001-0000-4000-8000-000000000001',
    daysAgo: 183,
    look: looks[0],
    tags: ['first draft'],
    views: [DESKTOP],
  },
  {
    rootId: '0d3a0001-0000-4000-8000-000000000002',
    daysAgo: 92,
    look: looks[1],
    tags: ['redesign'],
    views: [DESKTOP],
  },
  {
    rootId: '0d3a0001-0000-4000-8000-000000000003',
    daysAgo: 31,
    look: looks[2],
    tags: ['redesign', 'phone'],
    views: [DESKTOP, PHONE],
  },
  {
    rootId: '0d3a0001-0000-4000-8000-000000000004',
    daysAgo: 0,
    look: looks[3],
    tags: ['release', 'phone', 'full page'],
    views: [DESKTOP, PHONE, FULL],
  },
]

export interface DemoTools {
  /** A camera that finds these names where they are said to be. */
  openCamera(places: ReadonlyMap<string, { address: string; port: number }>): Promise<Camera>
  /** Called before the first of so many pages; answers what to call after each. */
  begin(pages: number): () => void
  readonly signal: AbortSignal
}

/**
 * Captures a project worth looking at into an empty store, from pages that this program brings along, and finishes
 * what an earlier start could not; leaves any other store alone. Throws `no_browser`.
 */
export async function makeDemo(intake: Omit<Intake, 'limits'>, tools: DemoTools): Promise<void> {
  const { store, clock } = intake
  const projects = await store.listProjects({ limit: 2 })
  if (projects.some(({ projectId }) => projectId !== DEMO_PROJECT_ID)) return
  const roots = await store.pageRoots(DEMO_PROJECT_ID, { limit: 100 })
  const due = visits.filter(({ rootId }) => !roots.some((root) => root.rootId === rootId))
  if (due.length === 0) return
  await store.createProject({ projectId: DEMO_PROJECT_ID, name: 'Demo', created: clock() }).catch(ignoreTaken)
  // Times follow from the project's, so that a second attempt makes the very same roots.
  const { created = clock() } = (await store.findProject(DEMO_PROJECT_ID)) ?? {}
  const site = await serveSite()
  try {
    const camera = await tools.openCamera(new Map([[HOST, { address: '127.0.0.1', port: site.port }]]))
    try {
      await camera.ready()
      const tell = tools.begin(due.reduce((sum, { views }) => sum + countPages(views), 0))
      for (const { rootId, daysAgo, look, tags, views } of due) {
        site.show(look)
        const shots = views.flatMap((view) =>
          view.pages.map((page) => shoot(camera, page, view, tools.signal)),
        )
        for (const shot of shots) shot.then(tell, () => {})
        await importRoot({ ...intake, limits: DEMO_LIMITS }, DEMO_PROJECT_ID, {
          rootId,
          created: created - daysAgo * DAY_MS,
          jobs: await Promise.all(shots),
        }).catch(ignoreTaken)
        await tag(store, rootId, tags)
      }
    } finally {
      await camera.close()
    }
  } finally {
    await site.close()
  }
}

/** As if it had been asked for: only what was asked for has tags. */
async function tag(store: Store, rootId: string, tags: readonly string[]): Promise<void> {
  const jobs = await store.jobsOf(DEMO_PROJECT_ID, [rootId])
  await store.captures.adopt(DEMO_PROJECT_ID, rootId, {
    ...DESKTOP,
    created: jobs[0]?.created ?? 0,
    idempotencyKey: undefined,
    tags,
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

function countPages(views: readonly View[]): number {
  return views.reduce((sum, view) => sum + view.pages.length, 0)
}

async function shoot(camera: Camera, page: PageName, view: View, signal: AbortSignal): Promise<SubmittedJob> {
  const url = `http://${HOST}${pathOf(page)}`
  const { bytes } = await camera.shoot({ ...view, url, loadingTime: DEFAULT_LOADING_TIME }, signal)
  return {
    uuid: undefined,
    created: undefined,
    url,
    name: page.charAt(0).toUpperCase() + page.slice(1) + view.suffix,
    loadingTime: DEFAULT_LOADING_TIME,
    basepath: DEFAULT_BASEPATH,
    width: undefined,
    height: undefined,
    image: { label: url, read: async () => bytes },
    preview: undefined,
  }
}

/** By another start at the same time. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}
