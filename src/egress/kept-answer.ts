export interface KeptAnswerRules {
  /** After this time it is looked up again. Until the new answer is there, callers get the old one. */
  readonly freshMs: number
  /** How long after a failure it is looked up again. */
  readonly retryMs: number
  /** How long callers wait for the first answer. */
  readonly patienceMs: number
}

/** For something that changes rarely. It is looked up when it is first needed. Until it is known, the answer is `none`. */
export function createKeptAnswer<T>(
  look: () => Promise<T>,
  none: T,
  { freshMs, retryMs, patienceMs }: KeptAnswerRules,
): () => Promise<T> {
  let known: { readonly answer: T } | undefined
  let underWay: Promise<void> | undefined
  let next = Number.NEGATIVE_INFINITY
  /** Until when callers wait. All callers share this time: a look-up that hangs does not delay each of them. */
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
    const patience = end - performance.now()
    if (!known && underWay && patience > 0) {
      await Promise.race([underWay, new Promise((late) => setTimeout(late, patience).unref())])
    }
    return known ? known.answer : none
  }
}
