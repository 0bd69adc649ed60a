import { fillIn } from '../../../src/contract/ask-again.ts'
import { PLAIN, PLAIN_NAMES, type PlainName, type PlainOption } from '../../../src/contract/options/plain.ts'
import { readPageLines } from '../../../src/contract/page-lines.ts'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import { type Draft, type EffectDraft, isEmpty, type Page, type Pair } from './draft.ts'
import { EFFECTS, readColor } from './effects.ts'
import { SIZES } from './sizes.ts'

/**
 * The request of the form. An address without a scheme gets one. A wrong value is sent as it was typed: the service reports
 * the mistake.
 */
export function toRequest(draft: Draft): ScreenshotRequest {
  const { failOnStatus } = draft
  const given = {
    ...windowOf(draft),
    ...Object.fromEntries(PLAIN_NAMES.map((name) => [name, plainIn(draft, name)])),
    ...textsOf(draft, ['device', 'area', 'style', 'css']),
    hide: readLines(draft.hide).map(({ text }) => text),
    clicks: draft.clicks.filter(isTyped).map(({ elementId, loadingTime }) => ({
      elementId: elementId.trim(),
      loadingTime: numberIn(loadingTime),
    })),
    headers: Object.fromEntries(pairsOf(draft.headers).map(({ name, value }) => [name, value])),
    cookies: pairsOf(draft.cookies),
    loginParameter: loginOf(draft),
    effects: draft.effects.map(toEffect),
    tags: readTags(draft.tags),
  }
  const request = {
    screenshotParameter: withoutNothing(given),
    urls: pagesOf(draft).flatMap(({ pages }) => pages),
    ...(failOnStatus && { failOn: 'status' }),
    ...(draft.later !== '' && { scheduledTs: new Date(draft.later).getTime() }),
  }
  return request as ScreenshotRequest
}

function plainIn(draft: Draft, name: PlainName): unknown {
  const { kind, on }: PlainOption = PLAIN[name]
  if (kind === 'switch') return draft[name] ? (on ?? true) : undefined
  const text = String(draft[name])
  return kind === 'number' || kind === 'milliseconds' ? numberIn(text) : text.trim() || undefined
}

/** The pages of each address. They are several if the page has options of its own for several sizes. */
export function pagesOf(draft: Draft): { line: number; pages: Page[] }[] {
  const loadingTime = numberIn(draft.loadingTime)
  const own = fillIn({ screenshotParameter: {}, urls: [...draft.own] }, draft.ownSecrets).urls
  return readPageLines(draft.addresses).map(({ line, url: typed, name }) => {
    const url = withScheme(typed)
    const known = own.filter((page) => page.url === url && page.name === name)
    const page = { url, name, ...(loadingTime !== undefined && { loadingTime }) }
    return { line, pages: known.length > 0 ? known : [page] }
  })
}

/** The chosen sizes, in the order of the form. The texts of other sizes are not checked. */
export function sizesOf({ sizes, otherSizes }: Draft) {
  const others = otherSizes.map(({ width, height }) => ({ width: numberIn(width), height: numberIn(height) }))
  return [
    ...SIZES.filter(({ name }) => sizes.includes(name)).map(({ width, height }) => ({ width, height })),
    ...others.map(({ width = 0, height = 0 }) => ({ width, height })),
  ]
}

function windowOf(draft: Draft) {
  const sizes = sizesOf(draft)
  return sizes.length > 1 ? { sizes } : sizes[0]
}

/** The lines that are not empty, with their numbers, from 1. */
export function readLines(text: string): { line: number; text: string }[] {
  const lines = text.split('\n').map((each, index) => ({ line: index + 1, text: each.trim() }))
  return lines.filter(({ text }) => text !== '')
}

/** Empty rows are left out. */
export function isTyped(row: object): boolean {
  return !isEmpty(row)
}

/** A text that is not a number stays a text, so that the service refuses it. */
function numberIn(text: string): number | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  return Number.isFinite(Number(typed)) ? Number(typed) : (typed as unknown as number)
}

function textsOf<K extends keyof Draft>(draft: Draft, names: readonly K[]): Partial<Record<K, string>> {
  const given = names.map((name) => [name, String(draft[name]).trim()] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== '')) as Partial<Record<K, string>>
}

function pairsOf(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(isTyped).map(({ name, value }) => ({ name: name.trim(), value }))
}

function loginOf({ login }: Draft) {
  if (isEmpty(login)) return undefined
  const { usernameField, username, passwordField, password, button } = login
  const origins = login.origins.split(/[\s,]+/).filter((origin) => origin !== '')
  return {
    username: { elementId: usernameField.trim(), username },
    password: { elementId: passwordField.trim(), password },
    loginButton: { elementId: button.trim() },
    ...(origins.length > 0 && { origins }),
  }
}

function toEffect({ effect, options }: EffectDraft) {
  const given = EFFECTS[effect].fields.flatMap(({ name }) => {
    const text = options[name] ?? ''
    const isColor = name === 'color' || name === 'bgColor'
    if (text.trim() === '') return []
    return [[name, isColor ? (readColor(text) ?? text) : numberIn(text)] as const]
  })
  return { effect, options: Object.fromEntries(given) }
}

function withoutNothing(fields: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.filter(([, value]) => typeof value !== 'object' || hasParts(value)))
}

function hasParts(value: object | null): boolean {
  return value !== null && Object.keys(value).length > 0
}

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`
}

function readTags(tags: string): string[] {
  const given = tags.split(',').map((tag) => tag.trim())
  return [...new Set(given.filter((tag) => tag !== ''))]
}
