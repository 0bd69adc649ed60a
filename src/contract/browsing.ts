import type { View } from './capture-options.ts'
import { JOB_RESULT_FIELDS, Meta } from './results.ts'
import { Optional, type Schema, type Static, Type } from './schema.ts'
import { MARK_NAMES, MARKS, type Mark, type Seen } from './seen.ts'
import { Counts, ORIGIN_FIELDS, Reason, State } from './status.ts'

// Answers for people: the same results, a few at a time.

/** Pictures of older roots are not counted: the cost of an answer must not grow with the age of a project. */
export const COUNTED_ROOTS = 1_000

export const Project = Type.Object(
  {
    projectId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    meta: Meta,
    pictures: Optional.Integer({
      description: `How many screenshots its newest ${COUNTED_ROOTS} roots have. Not in the list of projects.`,
    }),
    hasMorePictures: Optional.Boolean({
      description: 'Whether there are older roots, whose screenshots are not counted.',
    }),
  },
  { $id: 'Project', description: 'A project owns roots.' },
)

export type Project = Static<typeof Project>

export const ProjectList = Type.Array(Type.Reference<Project>('Project'), {
  description: 'Projects, oldest first.',
})

export const JobOverview = Type.Object(
  {
    ...JOB_RESULT_FIELDS,
    view: Type.Optional(Type.Reference<View>('View')),
    seen: Type.Optional(Type.Reference<Seen>('Seen')),
  },
  {
    $id: 'JobOverview',
    description:
      'One finished screenshot, with the options it was requested with and what the browser saw, if that is known.',
  },
)

export type JobOverview = Static<typeof JobOverview>

export const PageFailure = Type.Object(
  {
    position: Type.Integer({ description: 'Its position in the request, from 0.' }),
    url: Type.String({ description: 'Address of the page.' }),
    name: Type.String({ description: 'Display name of the page.' }),
    reason: Reason,
    detail: Type.String({ description: 'Why it failed, for people.' }),
  },
  { $id: 'PageFailure', description: 'A page without a picture.' },
)

export type PageFailure = Static<typeof PageFailure>

export const MarkCounts = Type.Object(
  Object.fromEntries(MARK_NAMES.map((mark) => [mark, Optional.Integer({ description: `${MARKS[mark]}.` })])),
  { description: 'How many of its pages have each mark. A mark that no page has is left out.' },
) as Schema<Partial<Record<Mark, number>>>

export type MarkCounts = Static<typeof MarkCounts>

/** The most jobs of a root, and the most failed pages, that an overview shows. */
export const OVERVIEW_JOBS = 12

export const RootOverview = Type.Object(
  {
    rootId: Type.String({ format: 'uuid' }),
    meta: Meta,
    state: State,
    ...ORIGIN_FIELDS,
    tags: Type.Array(Type.String()),
    counts: Counts,
    marks: MarkCounts,
    view: Type.Optional(Type.Reference<View>('View')),
    failures: Type.Array(Type.Reference<PageFailure>('PageFailure'), {
      description: `The first ${OVERVIEW_JOBS} failed pages; with \`q\`, the first that match.`,
    }),
    jobs: Type.Array(Type.Reference<JobOverview>('JobOverview'), {
      description: `The first ${OVERVIEW_JOBS} finished screenshots; with \`q\`, the first that match.`,
    }),
  },
  {
    $id: 'RootOverview',
    description: 'A root at a glance: its state, its first screenshots, and its first failures.',
  },
)

export type RootOverview = Static<typeof RootOverview>

export const OverviewList = Type.Array(Type.Reference<RootOverview>('RootOverview'), {
  description: 'Roots at a glance, newest first.',
})

/** More pictures of an address are not counted: the cost of a list must not grow with the history of its pages. */
export const COUNTED_PICTURES = 1_000

export const PageSummary = Type.Object(
  {
    url: Type.String({ description: 'Address of the page.' }),
    name: Type.String({ description: 'Its newest name.' }),
    pictures: Type.Integer({
      maximum: COUNTED_PICTURES,
      description: `How many screenshots there are of it; ${COUNTED_PICTURES} means that many or more.`,
    }),
    oldest: Type.Integer({ description: 'When its first screenshot was made. Unix milliseconds.' }),
    newest: Type.Integer({ description: 'When its last screenshot was made. Unix milliseconds.' }),
    latest: Type.Reference<JobOverview>('JobOverview'),
  },
  { $id: 'PageSummary', description: 'One address, and its screenshots in numbers.' },
)

export type PageSummary = Static<typeof PageSummary>

export const PageList = Type.Array(Type.Reference<PageSummary>('PageSummary'), {
  description: 'Addresses, in the order of their bytes.',
})

export const History = Type.Array(Type.Reference<JobOverview>('JobOverview'), {
  description: 'Screenshots, newest first.',
})
