import type { Effect } from '../../../src/contract/options/finish.ts'
import { PLAIN, PLAIN_NAMES, type PlainName } from '../../../src/contract/options/plain.ts'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import { SIZES } from './sizes.ts'

export type Page = ScreenshotRequest['urls'][number]

/** Switches, and texts as they were typed. */
type PlainDraft = {
  readonly [N in PlainName]: (typeof PLAIN)[N]['kind'] extends 'switch' ? boolean : string
}

/** The content of the form, as it was typed, not checked. Fields that were not filled in are empty. */
export interface Draft extends PlainDraft {
  /** Only of a template. */
  readonly templateName: string
  /** Only of a template. */
  readonly otherPages: boolean
  /** Only of a request: when it begins, in local time, as `2026-03-01T02:30`. */
  readonly later: string
  readonly addresses: string
  /** Names of `SIZES`. */
  readonly sizes: readonly string[]
  readonly otherSizes: readonly OtherSize[]
  /** With commas between them. */
  readonly tags: string

  /** One selector per line. */
  readonly hide: string
  readonly clicks: readonly Click[]
  readonly css: string
  readonly loadingTime: string
  readonly failOnStatus: boolean

  readonly device: string
  readonly headers: readonly Pair[]
  readonly cookies: readonly Pair[]
  readonly login: Login

  readonly area: string
  readonly style: string
  readonly effects: readonly EffectDraft[]

  /** Pages with options of their own, which the form does not show. Their secrets are empty strings. */
  readonly own: readonly Page[]
  /** Secrets of these pages, by their places in a request: `/urls/0/cookies/1/value`. */
  readonly ownSecrets: Readonly<Record<string, string>>
}

export interface OtherSize {
  readonly width: string
  readonly height: string
}

export interface Click {
  readonly elementId: string
  readonly loadingTime: string
}

export interface Pair {
  readonly name: string
  readonly value: string
}

export interface Login {
  readonly usernameField: string
  readonly username: string
  readonly passwordField: string
  readonly password: string
  readonly button: string
  /** Separated by spaces or commas. */
  readonly origins: string
}

export type EffectName = Effect['effect']

export interface EffectDraft {
  readonly effect: EffectName
  readonly options: Readonly<Record<string, string>>
}

const NO_LOGIN: Login = {
  ...{ usernameField: '', username: '', passwordField: '', password: '', button: '', origins: '' },
}

const NOTHING_PLAIN = Object.fromEntries(
  PLAIN_NAMES.map((name) => [name, PLAIN[name].kind === 'switch' ? false : '']),
) as unknown as PlainDraft

export const NOTHING: Draft = {
  ...{
    templateName: '',
    otherPages: false,
    later: '',
    addresses: '',
    sizes: [],
    otherSizes: [],
    tags: '',
  },
  ...NOTHING_PLAIN,
  ...{ hide: '', clicks: [], css: '' },
  ...{ loadingTime: '', failOnStatus: false },
  ...{ device: '', headers: [], cookies: [], login: NO_LOGIN },
  ...{ area: '', style: '', effects: [], own: [], ownSecrets: {} },
}

export const NEW: Draft = { ...NOTHING, sizes: SIZES.slice(0, 1).map(({ name }) => name) }

/** The fields that are always visible. The others are behind "More". */
export const AT_HAND: readonly string[] = [
  'templateName',
  'otherPages',
  'later',
  'addresses',
  'sizes',
  'otherSizes',
  'fullPage',
  'tags',
  'own',
  'ownSecrets',
]

/** How many of the options behind "More" are given. */
export function countMore(draft: Draft): number {
  const names = Object.keys(NOTHING) as (keyof Draft)[]
  return names.filter((name) => !AT_HAND.includes(name) && !isEmpty(draft[name])).length
}

/** Whether nothing was typed in it, or in any of its parts. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty)
  return value === false
}

/** The draft as it may be kept. */
export function withoutSecrets(draft: Draft): Draft {
  const hide = ({ name }: Pair): Pair => ({ name, value: '' })
  const places = Object.keys(draft.ownSecrets)
  return {
    ...draft,
    headers: draft.headers.map(hide),
    cookies: draft.cookies.map(hide),
    login: { ...draft.login, username: '', password: '' },
    ownSecrets: Object.fromEntries(places.map((place) => [place, ''])),
  }
}

/** Whether a secret is missing and has to be typed again. */
export function lacksSecrets({ headers, cookies, login, ownSecrets }: Draft): boolean {
  if (Object.values(ownSecrets).includes('')) return true
  const lacks = ({ name, value }: Pair) => name.trim() !== '' && value === ''
  return (
    [...headers, ...cookies].some(lacks) ||
    (!isEmpty(login) && (login.username === '' || login.password === ''))
  )
}
