export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/**
 * Measures two contenders alternately, so that noise hits both. The result is the median of the ratios.
 */
export async function compare(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  { rounds = 9, warmUp = 1 }: { rounds?: number; warmUp?: number } = {},
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const pairs: [number, number][] = []
  for (let round = -warmUp; round < rounds; round++) {
    const pair: [number, number] = [await ours(), await theirs()]
    if (round >= 0) pairs.push(pair)
  }
  return {
    ours: median(pairs.map(([value]) => value)),
    theirs: median(pairs.map(([, value]) => value)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  }
}
