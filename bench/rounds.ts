export interface Contender {
  readonly name: string
  /** How often it runs in a round. */
  readonly times: number
  readonly work: (index: number) => unknown
}

/** Microseconds for each run, the median of the rounds. The contenders take turns, so that noise hits them alike. */
export async function measure(contenders: readonly Contender[], rounds = 9): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const { name, times, work } of contenders) {
      const began = process.hrtime.bigint()
      for (let index = 0; index < times; index++) {
        const pending = work(index)
        if (pending instanceof Promise) await pending
      }
      const each = Number(process.hrtime.bigint() - began) / 1000 / times
      // The first round warms up.
      if (round >= 0) samples.get(name)?.push(each)
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
