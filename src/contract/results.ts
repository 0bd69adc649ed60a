import { type Static, Type } from './schema.ts'

const Id = (description: string) => Type.String({ format: 'uuid', description })

/** The default of `loadingTime`, in milliseconds. */
export const DEFAULT_LOADING_TIME = 15_000
export const DEFAULT_BASEPATH = '/tmp'

export const Meta = Type.Object({
  created: Type.Integer({ description: 'Unix time in milliseconds.', examples: [1605813006223] }),
})

const PageUrl = Type.Object({
  url: Type.String({ description: 'Address of the captured page.' }),
  name: Type.String({ description: 'Display name of the page.' }),
  loadingTime: Type.Integer({
    description: 'The longest time that the page may take to load, in milliseconds.',
  }),
})

const ScreenshotParameter = Type.Object({
  height: Type.Integer({ description: 'Height of the picture in pixels.' }),
  width: Type.Integer({ description: 'Width of the picture in pixels.' }),
  basepath: Type.String({ description: 'A logical directory.', examples: [DEFAULT_BASEPATH] }),
  name: Type.String({ description: 'Name of the picture; equals the `uuid` of the job.' }),
})

/** Frozen: the two endpoints of docs/spec.md answer exactly these fields. */
export const JOB_RESULT_FIELDS = {
  data: Type.String({ format: 'uri', description: 'Signed address of the picture.' }),
  rootId: Id('The root this job belongs to.'),
  projectId: Id('The project that owns the job.'),
  uuid: Id('This job.'),
  url: PageUrl,
  meta: Meta,
  screenshotParameter: ScreenshotParameter,
  preview: Type.String({ format: 'uri', description: 'Signed address of the preview.' }),
} as const

export const JobResult = Type.Object(JOB_RESULT_FIELDS, {
  $id: 'JobResult',
  description: 'One finished screenshot.',
})

export type JobResult = Static<typeof JobResult>

export const RootResult = Type.Object(
  {
    rootId: Id('The root; the `jobId` of the path.'),
    meta: Meta,
    jobs: Type.Array(Type.Reference<JobResult>('JobResult'), {
      description: 'Finished screenshots, in the order they were requested.',
    }),
  },
  { $id: 'RootResult', description: 'One request for screenshots, and its results.' },
)

export type RootResult = Static<typeof RootResult>

export const RootList = Type.Array(Type.Reference<RootResult>('RootResult'), {
  description: 'Roots, newest first.',
})
