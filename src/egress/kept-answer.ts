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
