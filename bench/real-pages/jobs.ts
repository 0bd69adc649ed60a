/** Keeps `atATime` of them under way. Answers in the order of the items. */
export async function workThrough<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const left = [...items.entries()]
  const loop = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, item] = next
      results[index] = await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: atATime }, loop))
  return results
}

/** Mixed, and the same each time: what comes beside what is not by chance. */
export function mixed<T>(items: readonly T[], seed: number): T[] {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return items
    .map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} %`
}
