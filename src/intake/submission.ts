import { check, type Mistake } from '../contract/check.ts'
import { parseId } from '../contract/ids.ts'
import { rule, Type } from '../contract/schema.ts'
import { AppError } from '../errors.ts'

/** Where the bytes of a picture come from, with a name for messages. */
export interface PictureSource {
  readonly label: string
  /** Throws `bad_request` if it cannot be read, or has more than `maxBytes`. */
  read(maxBytes: number): Promise<Buffer>
}

/** A root to import. Its pictures are not read yet, and it may have no ids. */
export interface Submission {
  readonly rootId?: string | undefined
  readonly created?: number | undefined
  readonly jobs: readonly SubmittedJob[]
}

export interface SubmittedJob {
  readonly uuid?: string | undefined
  readonly created?: number | undefined
  readonly url: string
  readonly name: string
  readonly loadingTime?: number | undefined
  readonly basepath?: string | undefined
  /** As the file says. The picture must have the same. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly image: PictureSource
  readonly preview?: PictureSource | undefined
}

const Text = (maxLength: number, minLength = 0) => Type.String({ minLength, maxLength })
const Uuid = Type.String({
  format: 'uuid',
  [rule]: (text) => (parseId(text) === undefined ? 'must be a UUID' : undefined),
})
const Time = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })
const Pixels = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const strict = { additionalProperties: false }

const JobEntry = Type.Object(
  {
    url: Type.Object(
      {
        url: Text(8_192, 1),
        name: Type.Optional(Text(4_096)),
        loadingTime: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
      },
      strict,
    ),
    image: Text(4_096, 1),
    preview: Type.Optional(Text(4_096, 1)),
    uuid: Type.Optional(Uuid),
    created: Type.Optional(Time),
    basepath: Type.Optional(Text(4_096)),
    width: Type.Optional(Pixels),
    height: Type.Optional(Pixels),
  },
  { title: 'job', ...strict },
)

const RootEntry = Type.Object(
  { rootId: Type.Optional(Uuid), created: Type.Optional(Time), jobs: Type.Array(JobEntry, { minItems: 1 }) },
  strict,
)

const SHOWN_MISTAKES = 10

/** Reads one line of an import file. Throws `bad_request` with every field that is wrong. */
export function parseEntry(text: string, openPicture: (path: string) => PictureSource): Submission {
  const entry = parseJson(text)
  for (const job of jobsOf(entry)) if (typeof job['url'] === 'string') job['url'] = { url: job['url'] }
  const { value: root, mistakes } = check(RootEntry, entry)
  if (mistakes) throw new AppError('bad_request', describeMistakes(mistakes))
  return {
    rootId: root.rootId && parseId(root.rootId),
    created: root.created,
    jobs: root.jobs.map(({ url: { url, name, loadingTime }, uuid, image, preview, ...job }) => ({
      ...job,
      uuid: uuid && parseId(uuid),
      url,
      name: name ?? url.replace(/^https?:\/\//, ''),
      loadingTime,
      image: openPicture(image),
      preview: preview === undefined ? undefined : openPicture(preview),
    })),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('bad_request', `is not JSON (${(error as Error).message})`)
  }
}

function jobsOf(entry: unknown): Record<string, unknown>[] {
  const jobs: unknown = (entry as { jobs?: unknown } | null)?.jobs
  return Array.isArray(jobs) ? jobs.filter((job) => typeof job === 'object' && job !== null) : []
}

/** A mistake that several fields share is described once. */
function describeMistakes(mistakes: readonly Mistake[]): string {
  const alike = Map.groupBy(mistakes.slice(0, SHOWN_MISTAKES), ({ detail }) => detail)
  const told = [...alike].map(([detail, same]) => {
    const paths = same.map(({ pointer }) => pathOf(pointer))
    return `${paths.join(', ')}${paths.length > 1 ? ':' : ''} ${detail}`
  })
  return `${told.join('; ')}${mistakes.length > SHOWN_MISTAKES ? '; and more' : ''}`
}

/** `#/jobs/0/url` becomes `jobs.0.url`. */
function pathOf(pointer: string): string {
  return decodeURIComponent(pointer.slice(2)).replaceAll('/', '.') || 'the line'
}

export interface Imported {
  readonly rootId: string
  /** `mended`: the root was there, and some of its pictures were missing or damaged. */
  readonly outcome: 'added' | 'present' | 'mended'
}

/** How many pictures of one root are read, decoded or written at a time. */
export const PICTURES_AT_ONCE = 4

/** A root whose pictures are checked and staged. Call `add` or `discard`, once. */
export interface PreparedRoot {
  /** Adds all of it or nothing. Throws `conflict`, or an error of the storage. */
  add(): Promise<Imported>
  discard(): Promise<void>
}
