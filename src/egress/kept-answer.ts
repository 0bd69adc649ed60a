export interface KeptAnswerRules {
  /** After this long it is looked up again; who asks meanwhile gets the old answer. */
  readonly freshMs: number
  /** How soon one that failed is looked up again. */
  readonly retryMs: number
  /** How long the first who ask wait for it. */
  readonly patienceMs: number
}

/** Something that changes rarely, looked up when it is first needed. Until it is known, the answer is `none`. */
export function createKeptAnswer<T>(
  look: () => Promise<T>,
  none: T,
  { freshMs, retryMs, patienceMs }: KeptAnswerRules,
): () => Promise<T> {
  let known: { readonly answer: T } | undefined
  let underWay: Promise<void> | undefined
  let next = Number.NEGATIVE_INFINITY
  /** Until when it is waited for. One that hangs is waited for once, not by everybody anew. */
  let end = 0

  const begin = async () => {
    end = performance.now() + patienceMs
    try {
      known = { answer: await look() }
      next = performance.now() + freshMs
    } catch {
      next = performance.now() + retryMs
    } finally {
      underWay = undefined
    }
  }

  return async () => {
    if (performance.now() >= next) underWay ??= begin()
    if (!known && underWay) await atMost(end - performance.now(), underWay)
    return known ? known.answer : none
  }
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  if (ms <= 0) return
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
