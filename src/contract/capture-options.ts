import { type Static, Type } from './schema.ts'

// How the pages of a request are captured. Each option is described here, once. Other code hands the options on as one
// value; only the code that acts on an option names it. A new option is optional, and absent if it was not given. So old
// rows keep their meaning, and old requests keep their digest.

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
    description: 'Size of the browser window, in pixels.',
  })

/** The options that change how a picture looks. */
const createLook = (limits?: WindowLimits) => ({
  width: { ...pixels(limits?.viewportWidth), examples: [1200] },
  height: { ...pixels(limits?.viewportHeight), examples: [720] },
  fullPage: Type.Boolean({
    description: 'The whole page, and not only the part that the window shows.',
  }),
})

const LOOK = createLook()

/** The options of `screenshotParameter`. */
export const createScreenshotParameter = (limits: WindowLimits) => {
  const { fullPage, ...look } = createLook(limits)
  return Type.Object(
    {
      ...look,
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
    '`status`: a page whose server answers with an HTTP status of 400 or more fails, with the reason `status`. ' +
    'Otherwise the picture shows the error page, and has the mark `error`.',
})

const CaptureOptions = Type.Object({
  ...LOOK,
  tags: Type.Array(Type.String()),
  failOn: Type.Optional(FailOn),
})

/** All options of a request. */
export type CaptureOptions = Readonly<Static<typeof CaptureOptions>>

/** The options of one page. Tags belong to the whole request. */
export type PageOptions = Omit<CaptureOptions, 'tags'>

/** Options of one page that replace those of its request. */
export type OwnOptions = Partial<PageOptions>

export const View = Type.Object(LOOK, {
  $id: 'View',
  description:
    'The options that change how a picture looks. Pictures of a page can be compared if their views are equal. ' +
    'Imported pictures have none.',
})

export type View = Readonly<Static<typeof View>>

type Given = ScreenshotParameter & { readonly failOn?: unknown }

/** Fills in defaults. Other options are absent if they ask for nothing, so that equal requests give equal values. */
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

/** The options of a request, with those of the page itself. Only this function puts them together. */
export function optionsOfPage({ tags: _, ...all }: CaptureOptions, own: OwnOptions | undefined): PageOptions {
  return { ...all, ...own }
}

export function viewOf(options: PageOptions): View {
  const names = Object.keys(LOOK) as (keyof View)[]
  const given = names.filter((name) => options[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, options[name]])) as View
}
