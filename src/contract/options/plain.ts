// The options that are one switch, text, number or choice. Each is described here, once: its flag and its help, its field in the form, the
// words for it in the gallery, and its row in docs/capturing.md. Its schema is in the file of its subject, beside this one.

export interface PlainOption {
  /** `milliseconds`: a time such as 2s for the command. A list: values and their words. */
  readonly kind: 'switch' | 'text' | 'number' | 'milliseconds' | readonly (readonly [string, string])[]
  /** The value of a switch that is on, if it is not `true`. */
  readonly on?: string
  readonly group: 'Window' | 'Visitor' | 'Before the picture' | 'Picture'
  readonly flag: string
  readonly help: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  /** The subject of a sentence about a mistake. */
  readonly noun: string
  /** How a picture was taken. `value`: as text. */
  readonly words: (value: string) => string
  /** The second and third column in docs/capturing.md; the first has the example. */
  readonly example: string | number | true
  readonly usage: string
  readonly text: string
}

const SELECTOR = { kind: 'text', hint: 'a CSS selector', noun: 'The selector' } as const

/** In the order of the command, of the form, and of the words. */
export const PLAIN = {
  fullPage: {
    ...{ kind: 'switch', group: 'Window', label: 'Full page', noun: 'This' },
    flag: '--full-page',
    help: 'the whole page, not only the part that the window shows',
    words: () => 'full page',
    ...{ example: true, usage: '--full-page', text: 'The whole page, not only the part in the window' },
  },
  deviceScaleFactor: {
    ...{
      kind: 'number',
      group: 'Window',
      label: 'Scale',
      hint: '1 to 3 picture pixels per page pixel',
      placeholder: '1',
    },
    flag: '--scale <number>',
    help: 'pixels of the picture for one of the page, 1 to 3',
    noun: 'The scale',
    words: (scale) => `scale ${scale}`,
    ...{ example: 2, usage: '--scale 2', text: 'Pixels of the picture per pixel of the page, 1 to 3' },
  },
  colorScheme: {
    kind: [
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
    ...{ group: 'Visitor', label: 'Colours', placeholder: 'Default', noun: 'The colour scheme' },
    flag: '--color-scheme <scheme>',
    help: 'the preference of the visitor: light or dark',
    words: (scheme) => `${scheme} colours`,
    ...{ example: 'dark', usage: '--color-scheme dark', text: 'The visitor prefers `light` or `dark`' },
  },
  reducedMotion: {
    ...{ kind: 'switch', group: 'Visitor', label: 'Reduced motion', noun: 'This' },
    hint: 'the visitor prefers no animations',
    flag: '--reduced-motion',
    help: 'the visitor prefers no animations',
    words: () => 'reduced motion',
    ...{ example: true, usage: '--reduced-motion', text: 'The visitor prefers no animations' },
  },
  userAgent: {
    ...{ kind: 'text', group: 'Visitor', label: 'User agent', placeholder: 'That of the browser' },
    flag: '--user-agent <text>',
    help: 'the User-Agent of the browser',
    noun: 'The user agent',
    words: (agent) => `as ${agent}`,
    ...{ example: '…', usage: '--user-agent …', text: 'The user agent of the browser' },
  },
  locale: {
    ...{ kind: 'text', group: 'Visitor', label: 'Language', placeholder: 'de-DE', noun: 'The language' },
    flag: '--locale <language>',
    help: 'such as de-DE',
    words: (locale) => `language ${locale}`,
    ...{ example: 'de-DE', usage: '--locale de-DE' },
    text: 'Language of the browser, and how it writes numbers and dates. Default: `en-US`',
  },
  timezone: {
    ...{ kind: 'text', group: 'Visitor', label: 'Time zone', placeholder: 'Europe/Berlin' },
    flag: '--timezone <zone>',
    help: 'such as Europe/Berlin',
    noun: 'The time zone',
    words: (zone) => `time in ${zone}`,
    ...{ example: 'Europe/Berlin', usage: '--timezone Europe/Berlin' },
    text: 'A time zone of the IANA database',
  },
  cookieBanners: {
    ...{ kind: 'switch', on: 'decline', group: 'Before the picture', noun: 'This' },
    label: 'Decline cookie banners',
    hint: 'banners that ask for consent',
    flag: '--decline-cookies',
    help: 'answer a banner that asks for consent with no',
    words: () => 'cookie banners declined',
    ...{ example: 'decline', usage: '--decline-cookies', text: 'Declines a banner that asks for consent' },
  },
  waitFor: {
    ...{ ...SELECTOR, group: 'Before the picture', label: 'Wait for', placeholder: '#content' },
    flag: '--wait-for <selector>',
    help: 'the page fails if this does not become visible',
    words: (selector) => `waited for ${selector}`,
    ...{ example: '#ready', usage: '--wait-for "#ready"' },
    text: 'Waits for this element. The page fails if it does not become visible',
  },
  delay: {
    ...{ kind: 'milliseconds', group: 'Before the picture', hint: 'in ms', placeholder: '0' },
    label: 'Wait before the picture',
    flag: '--delay <time>',
    help: 'wait before the picture, such as 2s',
    noun: 'The delay',
    words: (delay) => `${delay} ms later`,
    ...{ example: 2_000, usage: '--delay 2s', text: 'Time to wait before the picture' },
  },
  element: {
    ...{ ...SELECTOR, group: 'Picture', label: 'Only this element', placeholder: 'main .chart' },
    flag: '--element <selector>',
    help: 'only the box of this element',
    words: (selector) => `only ${selector}`,
    ...{ example: '#offers', usage: '--element "#offers"' },
    text: 'Only the box of this element, wherever it is on the page',
  },
} as const satisfies Readonly<Record<string, PlainOption>>

export type PlainName = keyof typeof PLAIN

export const PLAIN_NAMES = Object.keys(PLAIN) as PlainName[]

export function plainOf(...groups: PlainOption['group'][]): PlainName[] {
  return PLAIN_NAMES.filter((name) => groups.includes(PLAIN[name].group))
}
