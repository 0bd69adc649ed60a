interface Page {
  readonly url: string
  readonly name: string
}

/**
 * Which page of a changed list each page of the old list has become, by their positions: a page with the same address, and the
 * same name if there is one. A page is not two pages. The new list may have any values.
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
  const { url, name } = (page ?? {}) as Partial<Page>
  return JSON.stringify([url, name])
}

function addressOf(page: unknown): string {
  return JSON.stringify([(page as Partial<Page> | null)?.url])
}
