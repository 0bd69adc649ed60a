export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/**
 * Measures two contenders alternately, so that noise hits both, and each of them first every other time. The result is the median
 * of the ratios.
 */
export async function compare(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  { rounds = 9, warmUp = 1 }: { rounds?: number; warmUp?: number } = {},
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const pairs: [number, number][] = []
  for (let round = -warmUp; round < rounds; round++) {
    const early = round % 2 === 0 ? await theirs() : undefined
    const own = await ours()
    const other = early ?? (await theirs())
    if (round >= 0) pairs.push([own, other])
  }
  return {
    ours: median(pairs.map(([value]) => value)),
    theirs: median(pairs.map(([, value]) => value)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  }
}
