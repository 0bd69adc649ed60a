const AT_ONCE = 100

/** Reads a list to its end, one list page after the other. For lists that are not long. */
export async function readAll<T>(
  readPage: (page: { after: T | undefined; limit: number }) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = await readPage({ after: all.at(-1), limit: AT_ONCE })
    all.push(...page)
    if (page.length < AT_ONCE) return all
  }
}
