/** Runs a task when it is its turn. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>

/** First come, first served; at most `places` at a time. */
export function createTurns(places: number): Turns {
  const waiting: (() => void)[] = []
  let free = places
  return async (task) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
