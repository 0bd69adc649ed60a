import { DEFAULT_BASEPATH, DEFAULT_LOADING_TIME } from '../contract/results.ts'
import { AppError } from '../errors.ts'
import { type Intake, importRoot } from '../intake/import-root.ts'
import type { SubmittedJob } from '../intake/submission.ts'
import { drawSvg } from '../picture.ts'
import { drawPage, type Look, type PageName, pages, type Size } from './draw-page.ts'
import { DEMO_PROJECT_ID } from './project-id.ts'

const DAY_MS = 86_400_000
/** The operator's limits are for strangers' pictures. */
const DEMO_LIMITS = { jobsPerRoot: 100, pictureBytes: 10_000_000, picturePixels: 10_000_000 }
const DESKTOP: Size = { width: 1200, height: 720 }
const PHONE: Size = { width: 390, height: 844 }
const FULL_PAGE: Size = { width: 1200, height: 1900 }

interface Visit {
  readonly daysAgo: number
  readonly look: Look
  readonly sizes: readonly Size[]
}

/** The same site through half a year. */
const visits: readonly Visit[] = [
  {
    daysAgo: 183,
    look: {
      paper: '#f4efe6',
      ink: '#3b3228',
      soft: '#a99c88',
      accent: '#b5651d',
      second: '#e0a458',
      radius: 2,
    },
    sizes: [DESKTOP],
  },
  {
    daysAgo: 92,
    look: {
      paper: '#ffffff',
      ink: '#1b2a41',
      soft: '#98a6b8',
      accent: '#2667ff',
      second: '#5cc8ff',
      radius: 8,
    },
    sizes: [DESKTOP],
  },
  {
    daysAgo: 31,
    look: {
      paper: '#ffffff',
      ink: '#20132e',
      soft: '#a79bb4',
      accent: '#7b2ff7',
      second: '#f107a3',
      radius: 14,
    },
    sizes: [DESKTOP, PHONE],
  },
  {
    daysAgo: 0,
    look: {
      paper: '#12141c',
      ink: '#f1f3f9',
      soft: '#707a92',
      accent: '#00c48c',
      second: '#1f7ae0',
      radius: 14,
    },
    sizes: [DESKTOP, PHONE, FULL_PAGE],
  },
]

/**
 * Fills an empty store with a project worth looking at, and finishes what an earlier start could not; leaves any
 * other store alone.
 */
export async function makeDemo(intake: Omit<Intake, 'limits'>, say: (line: string) => void): Promise<void> {
  const { store, clock } = intake
  const projects = await store.listProjects(2)
  if (projects.some(({ projectId }) => projectId !== DEMO_PROJECT_ID)) return
  const roots = await store.pageRoots(DEMO_PROJECT_ID, { limit: visits.length })
  if (roots.length >= visits.length) return
  say('There is nothing to see yet: drawing a demo project.')
  await store.createProject({ projectId: DEMO_PROJECT_ID, name: 'Demo', created: clock() }).catch(ignoreTaken)
  // Times follow from the project's, so that a second attempt draws the very same roots.
  const { created = clock() } = (await store.findProject(DEMO_PROJECT_ID)) ?? {}
  await Promise.all(
    visits.map(({ daysAgo, look, sizes }) =>
      importRoot({ ...intake, limits: DEMO_LIMITS }, DEMO_PROJECT_ID, {
        rootId: undefined,
        created: created - daysAgo * DAY_MS,
        jobs: sizes.flatMap((size) => pagesFor(size).map((page) => toJob(page, look, size))),
      }),
    ),
  )
}

function ignoreTaken(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error
}

function pagesFor(size: Size): readonly PageName[] {
  return size === FULL_PAGE ? ['docs', 'blog'] : pages
}

function toJob(page: PageName, look: Look, size: Size): SubmittedJob {
  const title = page.charAt(0).toUpperCase() + page.slice(1)
  const kind = size === PHONE ? ' on a phone' : size === FULL_PAGE ? ', full page' : ''
  return {
    uuid: undefined,
    created: undefined,
    url: `https://demo.example/${page === 'home' ? '' : page}`,
    name: title + kind,
    loadingTime: DEFAULT_LOADING_TIME,
    basepath: DEFAULT_BASEPATH,
    ...size,
    image: { label: page, read: () => drawSvg(drawPage(page, look, size)) },
    preview: undefined,
  }
}
