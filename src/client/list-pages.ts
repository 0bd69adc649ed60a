import { unexpected } from './problem-error.ts'
import type { Wire } from './wire.ts'

/** A quote without an end extends to the end of the text. Otherwise parsing could take very long. */
const LINK_TOKEN = /<([^<>]*)>|"((?:[^"\\]|\\.)*)(?:"|\\?$)|[^\s<>";,=]+|[;,=]/g

type QueryValue = string | number | boolean | readonly string[] | undefined

/** Of all lists. Callers may hand over objects with other fields: those are not parameters. */
const PARAMETERS = {
  ...{ url: true, project: true, limit: true, q: true, tag: true, template: true },
  ...{ state: true, mark: true, from: true, to: true, fullPage: true, width: true },
}
const NAMES = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[]

export type ListQuery = { readonly [Name in keyof typeof PARAMETERS]?: QueryValue } & {
  readonly signal?: AbortSignal | undefined
}

/** Gives one list page after the other. Each is fetched when it is needed. */
export async function* followListPages<T>(
  wire: Wire,
  path: string,
  { signal, ...given }: ListQuery,
): AsyncGenerator<T, void, undefined> {
  let query: string | undefined = toQuery(Object.fromEntries(NAMES.map((name) => [name, given[name]])))
  while (query !== undefined) {
    const response: Response = await wire.ask(path + query, { signal })
    const next = nextQuery(response.headers.get('link'))
    yield await wire.read<T>(response, signal)
    if (next === query) throw unexpected(response, 'the link to the next page leads to the same page')
    query = next
  }
}

/** `?limit=10&q=home`. Undefined and empty values are left out. An array gives its name several times. */
export function toQuery(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams()
  for (const [name, value = ''] of Object.entries(values)) {
    for (const each of [value].flat()) if (each !== '') query.append(name, String(each))
  }
  return query.size > 0 ? `?${query}` : ''
}

/** The links of a header (RFC 8288). Names of parameters are in lower case. If a name is there twice, the first counts. */
export function parseLinks(header: string) {
  const links: { target: string; parameters: ReadonlyMap<string, string> }[] = []
  let parameters: Map<string, string> | undefined
  let name: string | undefined
  for (const [token, target, quoted] of header.matchAll(LINK_TOKEN)) {
    if (target !== undefined) {
      parameters = new Map()
      links.push({ target, parameters })
    } else if (token === ',') {
      parameters = undefined
    } else if (token === ';') {
      name = undefined
    } else if (token !== '=') {
      const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? token
      if (name === undefined) name = value.toLowerCase()
      else if (!parameters?.has(name)) parameters?.set(name, value)
    }
  }
  return links
}

/** Undefined if this list page was the last. Only the query is used: the next one is fetched from the same server. */
export function nextQuery(header: string | null): string | undefined {
  const next = parseLinks(header ?? '').find(
    ({ parameters }) => !parameters.has('anchor') && /(^|\s)next(\s|$)/i.test(parameters.get('rel') ?? ''),
  )
  return next && (/\?[^#]*/.exec(next.target)?.[0] ?? '')
}
