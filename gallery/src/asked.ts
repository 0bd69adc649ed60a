import type { CaptureOptions, View } from '../../src/contract/capture-options.ts'
import type { Area, Effect, Style } from '../../src/contract/options/finish.ts'
import { PLAIN, type PlainName, plainOf } from '../../src/contract/options/plain.ts'
import { number } from './words.ts'

// The options of a page, in words.

export const AREA_WORDS: Record<Area, string> = {
  topleft: 'Top left',
  topright: 'Top right',
  bottomleft: 'Bottom left',
  bottomright: 'Bottom right',
  centercenter: 'Middle',
  upperhalf: 'Upper half',
  lowerhalf: 'Lower half',
  leftside: 'Left side',
  rightside: 'Right side',
}

export const STYLE_WORDS: Record<Style, string> = {
  'macos-simple-light': 'Light window',
  'macos-simple-dark': 'Dark window',
}

type Options = Partial<Omit<CaptureOptions, 'tags'>>
/** The window and the full page are described together. */
type Name = Exclude<keyof Options, 'width' | 'height' | PlainName>

/** A longer text is cut, and more of a list are only counted. */
const LONGEST = 60
const MOST_SHOWN = 5

/** Beside the plain options. Secrets are not part of it. */
const WORDS: { readonly [N in Name]: (value: NonNullable<Options[N]>) => string } = {
  device: (device) => device,
  loginParameter: () => 'with a login',
  headers: (headers) => `with ${count(Object.keys(headers), 'header')}`,
  cookies: (cookies) => `with ${count(cookies.map(nameOf), 'cookie')}`,
  clicks: (clicks) => `clicked ${some(clicks.map(({ elementId }) => elementId))}`,
  hide: (selectors) => `without ${some(selectors)}`,
  css: () => 'custom CSS',
  area: (area) => AREA_WORDS[area].toLowerCase(),
  style: (style) => STYLE_WORDS[style].toLowerCase(),
  effects: (effects) => some(effects.map(effectWords)),
  failOn: () => 'error pages are failures',
}

const BEFORE = plainOf('Before the picture')
/** In which they are read. */
const ORDER: readonly (Name | PlainName)[] = [
  'device',
  ...plainOf('Window', 'Visitor').filter((name) => name !== 'fullPage'),
  ...(['loginParameter', 'headers', 'cookies'] as const),
  ...BEFORE.filter((name) => PLAIN[name].kind === 'switch'),
  'clicks',
  ...BEFORE.filter((name) => PLAIN[name].kind !== 'switch'),
  ...(['hide', 'css'] as const),
  ...plainOf('Picture'),
  ...(['area', 'style', 'effects', 'failOn'] as const),
]

function wordsFor(name: Name | PlainName, value: unknown): string {
  const isPlain = (each: string): each is PlainName => each in PLAIN
  if (!isPlain(name)) return (WORDS[name] as (value: unknown) => string)(value)
  return PLAIN[name].words(typeof value === 'number' ? number(value) : cut(String(value)))
}

/** The other options, except the window and the full page, a few words each. */
export function askedFor(options: Options): string[] {
  return ORDER.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [wordsFor(name, value)]
  })
}

/** `Windows 1280 × 800 and 390 × 844`, if a root has several. */
export function windowsName(views: readonly Window[]): string {
  const [first] = views
  if (!first) return ''
  const sizes = views.map(({ width, height, fullPage }) => (fullPage ? `${width}` : `${width} × ${height}`))
  const different = [...new Set(sizes)]
  if (different.length === 1) return windowName(first)
  return first.fullPage ? `Full page, ${inWords(different)} wide` : `Windows ${inWords(different)}`
}

interface Window {
  readonly width: number
  readonly height: number
  readonly fullPage: boolean
}

/** How a page was captured: `Window 1280 × 800`, `Full page, 1280 wide`, and its other options. */
export function viewName(view: View): string {
  return [windowName(view), ...askedFor(view)].join(', ')
}

export function windowName({ width, height, fullPage }: Window): string {
  return fullPage ? `Full page, ${width} wide` : `Window ${width} × ${height}`
}

function effectWords({ effect, options = {} }: Effect): string {
  const { radius, margin, width, height } = options as Record<string, number | undefined>
  switch (effect) {
    case 'blur':
      return `blurred by ${radius}`
    case 'resize':
      return width && height
        ? `resized to ${width} × ${height}`
        : `resized to ${width ?? height} ${width ? 'wide' : 'high'}`
    case 'roundcorners':
      return `corners rounded by ${radius}`
    case 'margin':
      return `margin of ${margin ?? 0}`
    case 'shadow':
      return 'shadow'
  }
}

function inWords(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].join(' and ')
}

/** `header x-token`, `headers x-token, x-user`. */
function count(names: readonly string[], one: string): string {
  return `${names.length === 1 ? one : `${one}s`} ${some(names)}`
}

/** The first of them, each cut if it is long. */
function some(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_SHOWN).map(cut).join(', ')
  return texts.length > MOST_SHOWN ? `${shown} and ${number(texts.length - MOST_SHOWN)} more` : shown
}

const nameOf = ({ name }: { name: string }) => name

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
