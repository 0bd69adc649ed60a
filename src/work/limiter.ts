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

/** Works on at most `limit` items at a time and yields the results in the items' order. The first failure ends it. */
export async function* inParallel<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // It is awaited below. A failure before that must not count as unhandled.
      result.catch(() => {})
      running.push(result)
      if (running.length >= limit) yield await (running.shift() as Promise<R>)
    }
    while (running.length > 0) yield await (running.shift() as Promise<R>)
  } finally {
    // If the caller stops early, wait for the work that still runs.
    await Promise.allSettled(running)
  }
}
