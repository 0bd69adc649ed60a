export interface KeptAnswerRules {
  /** After this long it is looked up again; who asks meanwhile gets the old answer. */
  readonly freshMs: number
  /** How soon one that failed is looked up again. */
  readonly retryMs: number
  /** How long the first who ask wait for it. */
  readonly patienceMs: number
}

/** Something that changes rarely, looked up when it is first needed. While nothing is known, `none` is. */
export function createKeptAnswer<T>(
  look: () => Promise<T>,
  none: T,
  { freshMs, retryMs, patienceMs }: KeptAnswerRules,
): () => Promise<T> {
  let known: { readonly answer: T } | undefined
  let underWay: Promise<void> | undefined
  let next = Number.NEGATIVE_INFINITY

  const begin = async () => {
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
    if (!known && underWay) await atMost(patienceMs, underWay)
    return known ? known.answer : none
  }
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
