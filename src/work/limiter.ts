/** Runs a task as soon as the limit allows it. `weight`: for a limit of what all tasks weigh together. */
export type Limiter = <T>(task: () => Promise<T>, weight?: number) => Promise<T>

/**
 * Runs at most `atOnce` tasks at a time, in the order in which they came. Together they weigh at most `heaviest`. A heavier task runs
 * alone.
 */
export function createLimiter(atOnce: number, heaviest = Number.POSITIVE_INFINITY): Limiter {
  const waiting: { weight: number; enter: () => void }[] = []
  let inside = 0
  let weightInside = 0
  const letIn = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const fits = inside < atOnce && weightInside + next.weight <= heaviest
      if (!fits && inside > 0) return
      waiting.shift()
      inside++
      weightInside += next.weight
      next.enter()
    }
  }
  return async (task, weight = 0) => {
    await new Promise<void>((enter) => {
      waiting.push({ weight, enter })
      letIn()
    })
    try {
      return await task()
    } finally {
      inside--
      weightInside -= weight
      letIn()
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
