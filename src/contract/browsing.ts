import { type JobResult, Meta } from './results.ts'
import { type Static, Type } from './schema.ts'
import { Counts, State } from './status.ts'

// What people browse by: the same results, a few at a time, in the order that they are looked at.

export const Project = Type.Object(
  {
    projectId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    meta: Meta,
  },
  { $id: 'Project', description: 'Whose pages are captured.' },
)

export type Project = Static<typeof Project>

export const ProjectList = Type.Array(Type.Reference<Project>('Project'), {
  description: 'Projects, oldest first.',
})

/** Most jobs of a root that an overview shows. */
export const OVERVIEW_JOBS = 12

export const RootOverview = Type.Object(
  {
    rootId: Type.String({ format: 'uuid' }),
    meta: Meta,
    state: State,
    tags: Type.Array(Type.String()),
    counts: Counts,
    jobs: Type.Array(Type.Reference<JobResult>('JobResult'), {
      description: `The first ${OVERVIEW_JOBS} finished screenshots; where \`q\` is given, of those that match.`,
    }),
  },
  { $id: 'RootOverview', description: 'A root at a glance: how far it is, and its first screenshots.' },
)

export type RootOverview = Static<typeof RootOverview>

export const OverviewList = Type.Array(Type.Reference<RootOverview>('RootOverview'), {
  description: 'Roots at a glance, newest first.',
})

/** More pictures of an address are not counted: what a list of pages costs must not grow with their history. */
export const COUNTED_PICTURES = 1_000

export const PageSummary = Type.Object(
  {
    url: Type.String({ description: 'Address of the page.' }),
    name: Type.String({ description: 'What it was called last.' }),
    pictures: Type.Integer({
      maximum: COUNTED_PICTURES,
      description: `How many screenshots there are of it; ${COUNTED_PICTURES} stands for that many or more.`,
    }),
    oldest: Type.Integer({ description: 'When the first of them was made. Unix milliseconds.' }),
    newest: Type.Integer({ description: 'When the last of them was made. Unix milliseconds.' }),
    latest: Type.Reference<JobResult>('JobResult'),
  },
  { $id: 'PageSummary', description: 'One address, and what there is of it.' },
)

export type PageSummary = Static<typeof PageSummary>

export const PageList = Type.Array(Type.Reference<PageSummary>('PageSummary'), {
  description: 'Addresses, in the order of their bytes.',
})

export const History = Type.Array(Type.Reference<JobResult>('JobResult'), {
  description: 'Screenshots, newest first.',
})
