import { type CaptureOptions, type OwnOptions, PageOptions } from '../capture-options.ts'
import { optionsOfPage } from '../options-of-page.ts'
import { type Schema, Type } from '../schema.ts'

// Secrets are the strings whose schema is `writeOnly`. Everything that is stored or shown has an empty string in their place.

/** The secrets of a page, by the JSON pointer of their place in its options. */
export type Secrets = Readonly<Record<string, string>>

/** Takes the secrets out of options. Undefined if there are none. `fillIn` of `ask-again.ts` puts them back. */
export function conceal<T extends Partial<PageOptions>>(options: T): { options: T; secrets?: Secrets } {
  const { value, ...secrets } = takeOut(PageOptions, options)
  return { options: value, ...secrets }
}

/** The parts of a request that have options. */
const Request = Type.Object({ screenshotParameter: PageOptions, urls: Type.Array(PageOptions) })

/** The same for a request that is kept: of a template or a schedule. */
export function concealRequest<T extends object>(request: T): { request: T; secrets?: Secrets } {
  const { value, ...secrets } = takeOut(Request, request)
  return { request: value, ...secrets }
}

function takeOut<T>(schema: Schema, given: T): { value: T; secrets?: Secrets } {
  const secrets: Record<string, string> = {}
  const value = walk(schema, given, '', (text, pointer) => {
    secrets[pointer] = text
    return ''
  }) as T
  return Object.keys(secrets).length > 0 ? { value, secrets } : { value }
}

/** Whether these options have secrets, taken out or still in them. */
export function hasSecrets(options: Partial<PageOptions>): boolean {
  return conceal(options).secrets !== undefined
}

/** The secrets of each page of a request. Undefined: it has none. */
export function secretsOfPages(
  all: CaptureOptions,
  pages: readonly { readonly ownOptions?: OwnOptions | undefined }[],
): (Secrets | undefined)[] {
  const shared = conceal(optionsOfPage(all, undefined)).secrets
  return pages.map(({ ownOptions }) =>
    ownOptions ? conceal(optionsOfPage(all, ownOptions)).secrets : shared,
  )
}

/** Each page has its own copy of the secrets that are given for all pages. */
const MAX_SECRETS = 1_000_000

export function problemOfSecrets(...request: Parameters<typeof secretsOfPages>): string | undefined {
  const texts = secretsOfPages(...request).flatMap((secrets) => Object.values(secrets ?? {}))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= MAX_SECRETS) return undefined
  return (
    `has ${length} characters of passwords, headers and cookies in all pages together; the limit is ${MAX_SECRETS}: ` +
    'send several requests with fewer pages'
  )
}

type Change = (text: string, pointer: string) => string

function walk(schema: Schema | undefined, value: unknown, at: string, change: Change): unknown {
  if (schema === undefined || !mayHaveSecrets(schema)) return value
  if (typeof value === 'string') return schema['writeOnly'] ? change(value, at) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((item, index) => walk(schema.items, item, `${at}/${index}`, change))
  }
  const { properties, additionalProperties } = schema
  const others = additionalProperties || undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      walk(properties?.[name] ?? others, inner, `${at}/${escapeName(name)}`, change),
    ]),
  )
}

const known = new WeakMap<Schema, boolean>()

/** Whether this schema, or one within it, has secrets. Most options have none, and may be long. */
function mayHaveSecrets(schema: Schema): boolean {
  const before = known.get(schema)
  if (before !== undefined) return before
  const { properties = {}, additionalProperties, items } = schema
  const inner = [...Object.values(properties), additionalProperties || [], items ?? []].flat()
  const found = schema['writeOnly'] === true || inner.some(mayHaveSecrets)
  known.set(schema, found)
  return found
}

function escapeName(name: string): string {
  return !/[~/]/.test(name) ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')
}
