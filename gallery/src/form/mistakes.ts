import { PLAIN, PLAIN_NAMES } from '../../../src/contract/options/plain.ts'
import { AT_HAND, type Draft, type Pair } from './draft.ts'
import { EFFECTS } from './effects.ts'
import { sizeName } from './sizes.ts'
import { isTyped, pagesOf, readLines, sizesOf } from './to-request.ts'
import type { PlacedMistakes, Told } from './use-sending.ts'

/** Where a mistake is shown. */
export type Place = keyof Draft | 'form'
export type Mistakes = PlacedMistakes<Place>

export function areBehindMore(mistakes: Mistakes): boolean {
  return Object.keys(mistakes).some((place) => place !== 'form' && !AT_HAND.includes(place))
}

/** The name of a field in a sentence. */
const NOUNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PLAIN_NAMES.map((name) => [name, PLAIN[name].noun])),
  tags: 'A tag',
  hide: 'The list',
  clicks: 'The list',
  css: 'The style',
  loadingTime: 'The time',
  device: 'The device',
  headers: 'The list',
  cookies: 'The list',
  login: 'The login',
  area: 'The area',
  style: 'The frame',
  effects: 'The list',
}

/** The parts of rows. */
const PARTS: Readonly<Record<string, string>> = {
  elementId: 'the selector',
  loadingTime: 'the time',
  name: 'the name',
  value: 'the value',
}

/** Mistakes that the service reports, each at its field. `#/urls/2/url` is the third address. */
export function placeMistakes(draft: Draft, mistakes: Told): Mistakes {
  const placed: Partial<Record<Place, string[]>> = {}
  for (const { pointer = '', detail } of mistakes) {
    const [place, sentence] = placeMistake(draft, namesIn(pointer), detail)
    placed[place] = [...new Set([...(placed[place] ?? []), sentence])]
  }
  return placed
}

/** `#/a/b~1c` is `['a', 'b/c']`. */
function namesIn(pointer: string): string[] {
  const names = pointer.replace(/^#?\/?/, '').split('/')
  return names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function placeMistake(draft: Draft, names: readonly string[], detail: string): [Place, string] {
  const [part, name = '', ...inner] = names
  if (part === 'urls') return placePage(draft, names, detail)
  if (part === 'name') return ['templateName', `The name ${detail}`]
  if (part === 'otherPages') return ['otherPages', detail]
  if (part === 'scheduledTs') return ['later', `The time ${detail}`]
  if (part === 'failOn') return ['failOnStatus', detail]
  if (part !== 'screenshotParameter') return ['form', detail]
  if (['width', 'height', 'sizes'].includes(name))
    return ['sizes', sizeMistake(draft, [name, ...inner], detail)]
  const place = name === 'loginParameter' ? 'login' : name
  const noun = NOUNS[place]
  if (noun === undefined) return ['form', name === '' ? detail : `${name} ${detail}`]
  return [place as Place, `${subjectOf(draft, place, inner) ?? noun} ${detail}`]
}

function placePage(draft: Draft, [, index, field]: readonly string[], detail: string): [Place, string] {
  if (index === undefined) return ['addresses', `The list ${detail}`]
  const lines = pagesOf(draft).flatMap(({ line, pages }) => pages.map(() => line))
  const line = lines[Number(index)]
  // The form has one loading time for all pages.
  if (field === 'loadingTime') return ['loadingTime', `The time ${detail}`]
  if (line === undefined) return ['addresses', detail]
  if (field === 'url' || field === undefined) return ['addresses', `Line ${line} ${detail}`]
  return [
    'addresses',
    field === 'name' ? `Line ${line}: the name ${detail}` : `Line ${line}: ${field} ${detail}`,
  ]
}

function sizeMistake(draft: Draft, [name, index, side]: readonly string[], detail: string): string {
  const sizes = sizesOf(draft)
  if (sizes.length === 0) return 'Choose a size, or a device.'
  const size = sizes[Number(index)]
  if (name !== 'sizes') return `The ${name} ${detail}`
  if (!size || side === undefined) return `The list ${detail}`
  return `${sizeName(size) ?? `${size.width} × ${size.height}`}: the ${side} ${detail}`
}

/** The place of a mistake within a list: `Click 2: the selector`. Empty rows were not sent, but count. */
function subjectOf(draft: Draft, place: string, inner: readonly string[]): string | undefined {
  const [name, ...more] = inner
  if (name === undefined) return undefined
  const part = PARTS[more[0] ?? ''] ?? more[0] ?? 'it'
  switch (place) {
    case 'tags':
      return 'A tag'
    case 'hide':
      return `Line ${readLines(draft.hide)[Number(name)]?.line}`
    case 'clicks':
      return `Click ${rowNumber(draft.clicks, Number(name))}: ${part}`
    case 'cookies':
      return `Cookie ${rowNumber(draft.cookies, Number(name))}: ${part}`
    case 'headers':
      return name === '' ? 'A name' : `“${name}”`
    case 'login':
      return LOGIN[inner.join('/')] ?? (name === 'origins' ? 'The place of the form' : 'The login')
    case 'effects':
      return effectSubject(draft, Number(name), more)
    default:
      return undefined
  }
}

const LOGIN: Readonly<Record<string, string>> = {
  'username/elementId': 'The field of the user name',
  'username/username': 'The user name',
  'password/elementId': 'The field of the password',
  'password/password': 'The password',
  'loginButton/elementId': 'The button',
}

function effectSubject({ effects }: Draft, index: number, [, name]: readonly string[]): string {
  const effect = effects[index]
  const { label = 'It', fields = [] } = effect ? EFFECTS[effect.effect] : {}
  const field = fields.find((each) => each.name === name)
  return field ? `${index + 1}. ${label}: ${field.label.toLowerCase()}` : `${index + 1}. ${label}`
}

/** The number of a row in the form, from 1. */
function rowNumber(rows: readonly (Pair | object)[], sent: number): number {
  const typed = rows.flatMap((row, index) => (isTyped(row) ? [index + 1] : []))
  return typed[sent] ?? sent + 1
}
