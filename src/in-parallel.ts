/**
 * Works on at most `limit` items at a time and yields the results in the items' order. After a failure nothing more
 * is begun; what was under way is finished and yielded, and then the failure is thrown.
 */
export async function* inParallel<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<Settled<R>>[] = []
  let failure: { error: unknown } | undefined
  async function* next(): AsyncGenerator<R> {
    const settled = await running.shift()
    if (settled?.ok) yield settled.value
    else if (settled) failure ??= settled
  }
  try {
    try {
      for await (const item of items) {
        running.push(settle(work(item)))
        if (running.length >= limit) yield* next()
        if (failure) break
      }
    } catch (error) {
      failure ??= { error }
    }
    while (running.length > 0) yield* next()
  } finally {
    // Whoever leaves early must not leave work behind that still writes.
    await Promise.all(running)
  }
  if (failure) throw failure.error
}

type Settled<R> = { ok: true; value: R } | { ok: false; error: unknown }

async function settle<R>(result: Promise<R>): Promise<Settled<R>> {
  try {
    return { ok: true, value: await result }
  } catch (error) {
    return { ok: false, error }
  }
}
