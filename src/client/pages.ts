import { nextQuery } from './links.ts'
import { unexpected } from './problem-error.ts'
import type { Wire } from './wire.ts'

type QueryValue = string | number | boolean | readonly string[] | undefined

/** What lists may be asked for. */
export interface PageOptions {
  readonly url?: string | undefined
  readonly limit?: number | undefined
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly state?: string | readonly string[] | undefined
  readonly mark?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly fullPage?: boolean | undefined
  readonly width?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Page after page, each asked for when it is wanted. */
export async function* followPages<T>(
  wire: Wire,
  path: string,
  { url, limit, q, tag, state, mark, from, to, fullPage, width, signal }: PageOptions,
): AsyncGenerator<T, void, undefined> {
  let query: string | undefined = toQuery({
    ...{ url, limit, q, tag, state, mark, from, to, fullPage, width },
  })
  while (query !== undefined) {
    const response: Response = await wire.ask(path + query, { signal })
    const next = nextQuery(response.headers.get('link'))
    yield await wire.read<T>(response, signal)
    if (next === query) throw unexpected(response, 'the page after this one is this one')
    query = next
  }
}

/** `?limit=10&q=home`; what is undefined or empty is left out, and a list is one name several times. */
export function toQuery(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams()
  for (const [name, value = ''] of Object.entries(values)) {
    for (const each of [value].flat()) if (each !== '') query.append(name, String(each))
  }
  return query.size > 0 ? `?${query}` : ''
}
