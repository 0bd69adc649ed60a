/** Runs a task as soon as the limit allows it. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` tasks at a time, in the order in which they came. */
export function createLimiter(atOnce: number): Limiter {
  const waiting: (() => void)[] = []
  let free = atOnce
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
