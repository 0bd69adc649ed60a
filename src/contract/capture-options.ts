import { type Static, Type } from './schema.ts'

// What a request says about its pages and their pictures. An option is described here, once. Between here and the place
// that acts on it nobody names it: the value is handed on whole. An option that is added is optional, and one that was not
// given is absent: so what was stored before reads as it did, and a request of before keeps its digest.

const MAX_TAGS = 50
const MAX_TAG = 100

/** The largest window that the operator allows. */
export interface WindowLimits {
  readonly viewportWidth: number
  readonly viewportHeight: number
}

const pixels = (maximum?: number) =>
  Type.Integer({
    minimum: 1,
    ...(maximum !== undefined && { maximum }),
    description: 'Of the browser window, in pixels.',
  })

/** The options that change how a picture looks. */
const createLook = (limits?: WindowLimits) => ({
  width: { ...pixels(limits?.viewportWidth), examples: [1200] },
  height: { ...pixels(limits?.viewportHeight), examples: [720] },
  fullPage: Type.Boolean({
    description: 'The whole page, however long it is, and not only what the window shows.',
  }),
})

const LOOK = createLook()

/** The options of `screenshotParameter`. */
export const createScreenshotParameter = (limits: WindowLimits) => {
  const { width, height, fullPage } = createLook(limits)
  return Type.Object(
    {
      width,
      height,
      fullPage: Type.Optional(fullPage),
      tags: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG }), { maxItems: MAX_TAGS }),
      ),
    },
    { additionalProperties: false },
  )
}

export type ScreenshotParameter = Readonly<Static<ReturnType<typeof createScreenshotParameter>>>

export const FailOn = Type.Enum(['status'], {
  description:
    '`status`: a page whose server answers with an HTTP status of 400 or more has failed, with the reason `status`. ' +
    'Without it there is a picture of what the server showed, with the mark `error`.',
})

const CaptureOptions = Type.Object({
  ...LOOK,
  tags: Type.Array(Type.String()),
  failOn: Type.Optional(FailOn),
})

/** All options of a request. */
export type CaptureOptions = Readonly<Static<typeof CaptureOptions>>

/** The options that one page is captured with. Tags are of the request as a whole. */
export type PageOptions = Omit<CaptureOptions, 'tags'>

/** What one page has instead of the options of its request. */
export type OwnOptions = Partial<PageOptions>

export const View = Type.Object(LOOK, {
  $id: 'View',
  description:
    'How a page was asked for. Pictures of one page are alike where their views are; what was imported has none.',
})

export type View = Readonly<Static<typeof View>>

type Given = ScreenshotParameter & { readonly failOn?: unknown }

/** Fills in what was left out. Of the other options those are absent that ask for nothing: equal requests are equal values. */
export function toCaptureOptions({
  width,
  height,
  fullPage = false,
  tags = [],
  ...others
}: Given): CaptureOptions {
  const asked = Object.entries(others).filter(([, value]) => !asksForNothing(value))
  return { width, height, fullPage, tags, ...Object.fromEntries(asked) }
}

function asksForNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)
  )
}

/** The one place where the options of a page are made. */
export function optionsOfPage({ tags: _, ...all }: CaptureOptions, own: OwnOptions | undefined): PageOptions {
  return { ...all, ...own }
}

export function viewOf(options: PageOptions): View {
  const names = Object.keys(LOOK) as (keyof View)[]
  const given = names.filter((name) => options[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, options[name]])) as View
}
