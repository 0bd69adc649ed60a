import { nextQuery } from './links.ts'
import { unexpected } from './problem-error.ts'
import type { Wire } from './wire.ts'

/** What lists may be asked for. */
export interface PageOptions {
  readonly url?: string | undefined
  readonly limit?: number | undefined
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Page after page, each asked for when it is wanted. */
export async function* followPages<T>(
  wire: Wire,
  path: string,
  { url, limit, q, tag, signal }: PageOptions,
): AsyncGenerator<T, void, undefined> {
  let query: string | undefined = toQuery({ url, limit, q, tag })
  while (query !== undefined) {
    const response: Response = await wire.ask(path + query, { signal })
    const next = nextQuery(response.headers.get('link'))
    yield await wire.read<T>(response, signal)
    if (next === query) throw unexpected(response, 'the page after this one is this one')
    query = next
  }
}

/** `?limit=10&q=home`; what is undefined or empty is left out. */
export function toQuery(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value = ''] of Object.entries(values)) if (value !== '') query.set(name, String(value))
  return query.size > 0 ? `?${query}` : ''
}
