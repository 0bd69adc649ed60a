import { rule, Type } from '../schema.ts'
import { Line, problemOfLine, Secret } from './texts.ts'

// The emulated visitor.

const MAX_HEADERS = 50
const MAX_COOKIES = 100
const MAX_VALUE = 4_096
const MAX_NAME = 200
/** Browsers accept no larger cookie. */
const MAX_COOKIE = 4_096
/** Few servers accept more. The gate accepts 256 KiB, and the browser adds its own headers. */
const MAX_BYTES = 100_000
/** RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 6265, and what browsers accept beyond it. */
const COOKIE_VALUE = /^[^\p{Cc};]*$/u
const SPACE_AROUND = /^ | $/
/** The browser sets these itself. */
const OWN_HEADERS =
  /^(host|connection|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|keep-alive|expect|cookie2?|(proxy|sec)-.*)$/i

export const Headers = Type.Record(Secret(MAX_VALUE, { title: 'header', [rule]: problemOfLine }), {
  maxProperties: MAX_HEADERS,
  propertyNames: { type: 'string', maxLength: MAX_NAME, [rule]: problemOfHeader },
  description:
    'Sent with each request to the origin of the page (scheme, host and port), and to no other. For cookies use `cookies`.',
  examples: [{ authorization: 'Bearer 123' }],
  [rule]: problemOfHeaders,
})

const Cookie = Type.Object(
  {
    name: Line(MAX_NAME, { description: 'Its name.', examples: ['session'], [rule]: problemOfCookieName }),
    value: Secret(MAX_VALUE, {
      description: 'Its value. It is stored encrypted, and removed when the page is captured or has failed.',
      examples: ['8f14e45f'],
      [rule]: problemOfCookieValue,
    }),
  },
  { title: 'cookie', additionalProperties: false, [rule]: problemOfCookie },
)

export const Cookies = Type.Array(Cookie, {
  examples: [[{ name: 'session', value: '8f14e45f' }]],
  maxItems: MAX_COOKIES,
  description:
    'Set for the origin of the page (scheme, host and port) before it is opened, and for no other.',
  [rule]: problemOfCookies,
})

export const ColorScheme = Type.Enum(['light', 'dark'], {
  description: 'The colour scheme that the visitor prefers.',
})

export const ReducedMotion = Type.Boolean({
  description: 'The visitor prefers no animations.',
})

export const UserAgent = Line(500, {
  description: 'The user agent of the browser. It takes precedence over that of `device`.',
  examples: ['Mozilla/5.0 (compatible; proofsheet)'],
})

export const Timezone = Line(100, {
  description: 'A time zone of the IANA database.',
  examples: ['Europe/Berlin'],
  [rule]: problemOfTimezone,
})

export const Locale = Line(100, {
  description:
    'A language tag (BCP 47): the language of the browser, and how it writes numbers and dates. Without it: en-US.',
  examples: ['de-DE'],
  [rule]: problemOfLocale,
})

function problemOfHeader(name: string): string | undefined {
  if (!TOKEN.test(name)) return 'must be the name of a header: letters, digits and hyphens'
  if (/^cookie$/i.test(name)) return 'must not be given as a header: use cookies'
  // The browser would hold back every request that has it.
  if (/^set-cookie2?$/i.test(name)) return 'must not be given: only servers send it'
  return OWN_HEADERS.test(name) ? 'must not be given: the browser sends its own' : undefined
}

function problemOfHeaders(headers: Record<string, string>): string | undefined {
  const names = Object.keys(headers)
  const known = new Set<string>()
  for (const name of names) {
    const same = name.toLowerCase()
    if (known.has(same)) return `has ${name} twice: names of headers that differ only in case are the same`
    known.add(same)
  }
  return problemOfBytes([...names, ...Object.values(headers)])
}

function problemOfCookies(cookies: readonly { name: string; value: string }[]): string | undefined {
  return problemOfBytes(cookies.flatMap(({ name, value }) => [name, value]))
}

function problemOfBytes(texts: readonly string[]): string | undefined {
  return hasAtMost(MAX_BYTES, texts.join(''))
    ? undefined
    : `must have at most ${MAX_BYTES} bytes, names and values together`
}

/** No character has more than three bytes for each of its UTF-16 units. */
function hasAtMost(bytes: number, text: string): boolean {
  return 3 * text.length <= bytes || new TextEncoder().encode(text).length <= bytes
}

function problemOfCookieName(name: string): string | undefined {
  return TOKEN.test(name)
    ? undefined
    : 'must be the name of a cookie: letters, digits, hyphens and underscores'
}

function problemOfCookieValue(value: string): string | undefined {
  if (!COOKIE_VALUE.test(value)) return 'must not contain a semicolon or control characters'
  return SPACE_AROUND.test(value) ? 'must not begin or end with a space' : undefined
}

function problemOfCookie({ name, value }: { name: string; value: string }): string | undefined {
  return hasAtMost(MAX_COOKIE, name + value)
    ? undefined
    : `must have at most ${MAX_COOKIE} bytes, name and value together`
}

function problemOfTimezone(zone: string): string | undefined {
  // Offsets (+02:00) are known to Intl, but not to the browser.
  const isKnown = /^[A-Za-z]/.test(zone) && !throws(() => new Intl.DateTimeFormat('en', { timeZone: zone }))
  return isKnown ? undefined : 'must be a time zone of the IANA database, such as Europe/Berlin'
}

function problemOfLocale(locale: string): string | undefined {
  return throws(() => Intl.getCanonicalLocales(locale))
    ? 'must be a language tag (BCP 47), such as de-DE'
    : undefined
}

function throws(call: () => unknown): boolean {
  try {
    call()
    return false
  } catch {
    return true
  }
}
