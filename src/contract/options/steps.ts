import { Optional, rule, STRICT, type Static, Type } from '../schema.ts'
import { Line, Secret, Selector, Text } from './texts.ts'

// Steps on the page before the picture is taken. `elementId` is a CSS selector. If it is a single word that matches
// nothing, it is tried as an id.

const MAX_CLICKS = 50
const MAX_HIDDEN = 50
const MAX_CSS = 10_000
const MAX_LOGIN = 1_000
const MAX_ORIGINS = 10
const MAX_ORIGIN = 300
const ORIGIN = /^https?:\/\/[^/?#\\@\s]+\/?$/i

/** The longest time that a page may take. */
export interface WaitLimits {
  readonly loadingMs: number
}

const Milliseconds = (description: string, limits?: WaitLimits) =>
  Type.Integer({ minimum: 0, ...(limits && { maximum: limits.loadingMs }), description, examples: [1000] })

const LoginOrigin = Line(MAX_ORIGIN, {
  title: 'origin',
  examples: ['https://sso.example.com'],
  [rule]: problemOfOrigin,
})

export const Login = Type.Object(
  {
    username: Type.Object(
      {
        elementId: Selector('The field of the user name.', '#email'),
        username: Secret(MAX_LOGIN, { description: 'The user name.', examples: ['ada@example.com'] }),
      },
      { ...STRICT, description: 'The user name and its field.' },
    ),
    password: Type.Object(
      {
        elementId: Selector('The field of the password.', '#password'),
        password: Secret(MAX_LOGIN, { description: 'The password.', examples: ['correct horse'] }),
      },
      { ...STRICT, description: 'The password and its field.' },
    ),
    loginButton: Type.Object(
      { elementId: Selector('The button.', '#login') },
      { ...STRICT, description: 'The button that is clicked when both fields are filled in.' },
    ),
    origins: Optional.Array(LoginOrigin, {
      maxItems: MAX_ORIGINS,
      description:
        'Other origins where the form may be, and may lead to: for single sign-on. Without it, user name and password are filled in and ' +
        'sent only at the origin of the page (scheme, host and port).',
      examples: [['https://sso.example.com']],
    }),
  },
  {
    ...STRICT,
    description:
      'Fills in the form that the page shows, clicks the button, and opens the page again if that led elsewhere. ' +
      'User name and password are stored encrypted, and removed when the page is captured or has failed.',
    examples: [
      {
        username: { elementId: '#email', username: 'ada@example.com' },
        password: { elementId: '#password', password: 'correct horse' },
        loginButton: { elementId: '#login' },
      },
    ],
  },
)

export type Login = Static<typeof Login>

/**
 * The origins that the secrets of a page are given for: that of its address, and those that are named with a login. Many addresses still
 * begin with http, although their server then asks for https: the same host on its usual port counts.
 */
export function homeOf(url: string, { origins = [] }: Pick<Login, 'origins'> = {}): string[] {
  const { origin, protocol, port, hostname } = new URL(url)
  const upgraded = protocol === 'http:' && port === '' ? [`https://${hostname}`] : []
  return [...new Set([origin, ...upgraded, ...origins.map((each) => new URL(each).origin)])]
}

function problemOfOrigin(text: string): string | undefined {
  const isOrigin = ORIGIN.test(text) && URL.canParse(text)
  return isOrigin ? undefined : 'must be an origin, with nothing after host and port: https://sso.example.com'
}

interface Click {
  readonly loadingTime?: number | null
}

/** All clicks together may wait no longer than one page may take. */
function problemOfWaits(clicks: readonly Click[], { loadingMs }: WaitLimits): string | undefined {
  const all = clicks.reduce((sum, { loadingTime }) => sum + (loadingTime ?? 0), 0)
  return all > loadingMs ? `must wait at most ${loadingMs} ms in total` : undefined
}

export const createClicks = (limits?: WaitLimits) =>
  Type.Array(
    Type.Object(
      {
        elementId: Selector('The element to click.', '#menu'),
        loadingTime: Type.Optional(
          Milliseconds('How long to wait afterwards. Without it, until the page has loaded.', limits),
        ),
      },
      { ...STRICT, title: 'click' },
    ),
    {
      maxItems: MAX_CLICKS,
      ...(limits && { [rule]: (clicks: Click[]) => problemOfWaits(clicks, limits) }),
      description:
        'Elements to click before the picture, in this order. If one is not found, the status has a note.',
      examples: [[{ elementId: '#menu', loadingTime: 1000 }]],
    },
  )

export const WaitFor = Selector(
  'The page fails if this element does not become visible within its loading time.',
  '#ready',
)

export const createDelay = (limits?: WaitLimits) =>
  Milliseconds('How long to wait before the picture, when everything else is done, in milliseconds.', limits)

export const Hide = Type.Array(Selector('The element takes no space.', '.chat'), {
  maxItems: MAX_HIDDEN,
  description: 'Elements to hide. If one is not found, the status has a note.',
  examples: [['.chat', '#ad']],
})

export const Element = Selector('Capture only the box of this element. The page fails if it is not found.')

export const Css = Text(MAX_CSS, {
  description: 'A style sheet that is added to every document of the page. It cannot import others.',
  examples: ['.ad { visibility: hidden }'],
})

export const CookieBanners = Type.Enum(['decline'], {
  description:
    '`decline`: a banner that asks for consent is declined. If there is none, the status has a note.',
})
