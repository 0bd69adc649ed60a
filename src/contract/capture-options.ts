import * as finish from './options/finish.ts'
import { isNothing } from './options/given.ts'
import * as steps from './options/steps.ts'
import * as visitor from './options/visitor.ts'
import * as window from './options/window.ts'
import { alsoRequired, Optional, type Static, Type } from './schema.ts'

// How the pages of a request are captured. Each option is described once, in `options/`. Other code hands the options on as
// one value; only the code that acts on an option names it. A new option is optional, and absent if it was not given. So old
// rows keep their meaning, and old requests keep their digest.

const MAX_TAGS = 50
const MAX_TAG = 100

export interface OptionLimits extends window.WindowLimits, steps.WaitLimits {}

/** The options that change how a picture looks, except its window. */
const createLook = (limits?: OptionLimits) => ({
  fullPage: Type.Optional(window.FullPage),
  device: Type.Optional(window.Device),
  deviceScaleFactor: Type.Optional(window.DeviceScaleFactor),
  colorScheme: Type.Optional(visitor.ColorScheme),
  reducedMotion: Type.Optional(visitor.ReducedMotion),
  userAgent: Type.Optional(visitor.UserAgent),
  locale: Type.Optional(visitor.Locale),
  timezone: Type.Optional(visitor.Timezone),
  css: Type.Optional(steps.Css),
  hide: Type.Optional(steps.Hide),
  cookieBanners: Type.Optional(steps.CookieBanners),
  clicks: Type.Optional(steps.createClicks(limits)),
  element: Type.Optional(steps.Element),
  area: Type.Optional(finish.Area),
  style: Type.Optional(finish.Style),
  effects: Type.Optional(finish.Effects),
})

/** The other options of a page. */
const createRest = (limits?: OptionLimits) => ({
  loginParameter: Type.Optional(steps.Login),
  headers: Type.Optional(visitor.Headers),
  cookies: Type.Optional(visitor.Cookies),
  waitFor: Type.Optional(steps.WaitFor),
  delay: Type.Optional(steps.createDelay(limits)),
})

/** The options that a request may give for all its pages, or a page for itself. */
export const createOptions = (limits?: OptionLimits) => ({ ...createLook(limits), ...createRest(limits) })

/** The same with a window, which a page takes over from its request. */
export const createOwnOptions = (limits?: OptionLimits) => {
  const { width, height } = window.createSize(limits)
  return { width: Type.Optional(width), height: Type.Optional(height), ...createOptions(limits) }
}

const OWN = createOwnOptions()
const LOOK = { ...window.createSize(), ...createLook(), fullPage: window.FullPage }

/** `screenshotParameter`. Width and height may be left out if other options give the size of the window. */
export const createScreenshotParameter = (limits: OptionLimits) =>
  Type.Object(
    {
      ...createOwnOptions(limits),
      sizes: Type.Optional(window.createSizes(limits)),
      tags: Optional.Array(Type.String({ minLength: 1, maxLength: MAX_TAG }), {
        maxItems: MAX_TAGS,
        description: 'Your own words, to find the root by.',
        examples: [['release']],
      }),
      name: Optional.String({
        maxLength: 1_000,
        description: 'Has no effect. Accepted because clients of other services send it.',
        examples: ['x'],
      }),
    },
    {
      additionalProperties: false,
      description: 'The options of all pages. A page may have its own options, which replace them.',
      [alsoRequired]: ({ sizes, device } = {}) =>
        isNothing(sizes) && isNothing(device) ? ['width', 'height'] : [],
    },
  )

export type ScreenshotParameter = Readonly<Static<ReturnType<typeof createScreenshotParameter>>>

export const FailOn = Type.Enum(['status'], {
  description:
    '`status`: a page whose server answers with an HTTP status of 400 or more fails, with the reason `status`. ' +
    'Otherwise the picture shows the error page, and has the mark `error`.',
})

const FAIL_ON = { failOn: Type.Optional(FailOn) }

const PAGE_OPTIONS = { ...LOOK, ...createRest(), ...FAIL_ON }

export const CaptureOptions = Type.Object(
  { ...PAGE_OPTIONS, tags: Type.Array(Type.String()) },
  { $id: 'CaptureOptions', description: 'The options of the request. Secrets are empty strings.' },
)

export type CaptureOptions = Readonly<Static<typeof CaptureOptions>>

/** The options of one page. Tags belong to the whole request. */
export const PageOptions = Type.Object(PAGE_OPTIONS)

export type PageOptions = Readonly<Static<typeof PageOptions>>

export const OwnOptions = Type.Object(
  { ...OWN, ...FAIL_ON },
  { $id: 'OwnOptions', description: 'Options of this page alone. Secrets are empty strings.' },
)

export type OwnOptions = Readonly<Static<typeof OwnOptions>>

export const View = Type.Object(LOOK, {
  $id: 'View',
  description:
    'The options that change how a picture looks. Pictures of a page can be compared if their views are equal. ' +
    'Imported pictures have none.',
})

export type View = Readonly<Static<typeof View>>

export function viewOf(options: PageOptions): View {
  const names = Object.keys(LOOK) as (keyof View)[]
  const given = names.filter((name) => options[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, options[name]])) as View
}
