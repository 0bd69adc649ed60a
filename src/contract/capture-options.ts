import { Area, Effects, Style } from './options/finish.ts'
import {
  CookieBanners,
  Css,
  createClicks,
  createDelay,
  Element,
  Hide,
  Login,
  WaitFor,
  type WaitLimits,
} from './options/steps.ts'
import {
  ColorScheme,
  Cookies,
  Headers,
  Locale,
  ReducedMotion,
  Timezone,
  UserAgent,
} from './options/visitor.ts'
import {
  createSize,
  createSizes,
  Device,
  DeviceScaleFactor,
  FullPage,
  type WindowLimits,
} from './options/window.ts'
import { type Static, Type } from './schema.ts'

// How the pages of a request are captured. Each option is described once, in `options/`. Other code hands the options on as
// one value; only the code that acts on an option names it. A new option is optional, and absent if it was not given. So old
// rows keep their meaning, and old requests keep their digest.

const MAX_TAGS = 50
const MAX_TAG = 100

/** The operator's limits for options. */
export interface OptionLimits extends WindowLimits, WaitLimits {}

/** The options that change how a picture looks, except its window. */
const createLook = (limits?: OptionLimits) => ({
  fullPage: Type.Optional(FullPage),
  device: Type.Optional(Device),
  deviceScaleFactor: Type.Optional(DeviceScaleFactor),
  colorScheme: Type.Optional(ColorScheme),
  reducedMotion: Type.Optional(ReducedMotion),
  userAgent: Type.Optional(UserAgent),
  locale: Type.Optional(Locale),
  timezone: Type.Optional(Timezone),
  css: Type.Optional(Css),
  hide: Type.Optional(Hide),
  cookieBanners: Type.Optional(CookieBanners),
  clicks: Type.Optional(createClicks(limits)),
  element: Type.Optional(Element),
  area: Type.Optional(Area),
  style: Type.Optional(Style),
  effects: Type.Optional(Effects),
})

/** The other options of a page. */
const createRest = (limits?: OptionLimits) => ({
  loginParameter: Type.Optional(Login),
  headers: Type.Optional(Headers),
  cookies: Type.Optional(Cookies),
  waitFor: Type.Optional(WaitFor),
  delay: Type.Optional(createDelay(limits)),
})

/** The options that a request may give for all its pages, or a page for itself. */
export const createOptions = (limits?: OptionLimits) => ({ ...createLook(limits), ...createRest(limits) })

/** The same with a window, which a page takes over from its request. */
export const createOwnOptions = (limits?: OptionLimits) => {
  const { width, height } = createSize(limits)
  return { width: Type.Optional(width), height: Type.Optional(height), ...createOptions(limits) }
}

const OWN = createOwnOptions()
const LOOK = { ...createSize(), ...createLook(), fullPage: FullPage }

/** `screenshotParameter`. Width and height may be left out if other options give the size of the window. */
export const createScreenshotParameter = (limits: OptionLimits, { hasWindow }: { hasWindow: boolean }) => {
  const size = createSize(limits)
  const optional = { width: Type.Optional(size.width), height: Type.Optional(size.height) }
  return Type.Object(
    {
      ...(hasWindow ? (size as typeof optional) : optional),
      ...createOptions(limits),
      sizes: Type.Optional(createSizes(limits)),
      tags: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG }), {
          maxItems: MAX_TAGS,
          description: 'Your own words, to find the root by.',
          examples: [['release']],
        }),
      ),
      name: Type.Optional(
        Type.String({
          maxLength: 1_000,
          description: 'Has no effect. Accepted because clients of other services send it.',
          examples: ['x'],
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'The options of all pages. A page may have its own options, which replace them.',
    },
  )
}

export type ScreenshotParameter = Readonly<Static<ReturnType<typeof createScreenshotParameter>>>

export const FailOn = Type.Enum(['status'], {
  description:
    '`status`: a page whose server answers with an HTTP status of 400 or more fails, with the reason `status`. ' +
    'Otherwise the picture shows the error page, and has the mark `error`.',
})

const FAIL_ON = { failOn: Type.Optional(FailOn) }

const PAGE_OPTIONS = { ...LOOK, ...createRest(), ...FAIL_ON }

/** All options of a request, as they are stored and shown. Secrets are empty strings. */
export const CaptureOptions = Type.Object(
  { ...PAGE_OPTIONS, tags: Type.Array(Type.String()) },
  { $id: 'CaptureOptions', description: 'The options of the request. Secrets are empty strings.' },
)

export type CaptureOptions = Readonly<Static<typeof CaptureOptions>>

/** The options of one page. Tags belong to the whole request. */
export const PageOptions = Type.Object(PAGE_OPTIONS)

export type PageOptions = Readonly<Static<typeof PageOptions>>

/** Options of one page that replace those of its request. */
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
