interface Page {
  readonly url: string
  readonly name: string
}

/**
 * Which page of a changed list each page of the old list has become, by their positions: a page with the same address, and the
 * same name if there is one. No page is matched twice. The new list may have any values.
 */
export function pairPages(old: readonly Page[], now: readonly unknown[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  const taken = new Set<number>()
  for (const keyOf of [identityOf, addressOf]) {
    const free = Map.groupBy(
      [...now.keys()].filter((index) => !taken.has(index)),
      (index) => keyOf(now[index]),
    )
    for (const [index, page] of old.entries()) {
      if (pairs.has(index)) continue
      const match = free.get(keyOf(page))?.shift()
      if (match === undefined) continue
      pairs.set(index, match)
      taken.add(match)
    }
  }
  return pairs
}

function identityOf(page: unknown): string {
  const { name } = (page ?? {}) as Partial<Page>
  return JSON.stringify([addressOf(page), name])
}

export function addressOf(page: unknown): string {
  return sameAddress(urlOf(page))
}

/** It may be any JSON. */
export function urlOf(page: unknown): string {
  const { url = null } = (page ?? {}) as Partial<Page>
  return typeof url === 'string' ? url : JSON.stringify(url)
}

/** The same for all spellings of an address that lead to the same page: `HTTP://127.1/x/../a` is `http://127.0.0.1/a`. */
export function sameAddress(url: string): string {
  return URL.parse(url)?.href ?? url
}
