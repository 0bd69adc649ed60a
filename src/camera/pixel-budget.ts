/** Runs a task when so many pixels are free. Rejects with the signal's reason if it is aborted before that. */
export type PixelBudget = <T>(pixels: number, stay: Stay, task: () => Promise<T>) => Promise<T>

export interface Stay {
  readonly signal: AbortSignal
  /** After this time a task no longer counts: its page hangs, and others must not wait for it. */
  readonly holdMs: number
}

export interface BudgetRules {
  readonly pixels: number
  /** Pictures up to this size never wait. */
  readonly small: number
}

/** Tasks start in the order in which they came. A picture larger than the whole budget runs alone. */
export function createPixelBudget({ pixels: size, small }: BudgetRules): PixelBudget {
  const waiting = new Set<{ readonly need: number; readonly begin: () => void }>()
  let free = size
  const beginThoseThatFit = () => {
    for (const next of waiting) {
      if (next.need > free) return
      waiting.delete(next)
      free -= next.need
      next.begin()
    }
  }
  const enter = (need: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(entrant)
        reject(signal.reason)
        beginThoseThatFit()
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const entrant = { need, begin }
      signal.throwIfAborted()
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(entrant)
      beginThoseThatFit()
    })
  /** An aborted task gives its pixels back: the browser may never answer for it. */
  const hold = (need: number, { signal, holdMs }: Stay) => {
    const release = () => {
      clearTimeout(impatient)
      signal.removeEventListener('abort', release)
      free += need
      need = 0
      beginThoseThatFit()
    }
    const impatient = setTimeout(release, holdMs)
    signal.addEventListener('abort', release, { once: true })
    return release
  }
  return async (pixels, stay, task) => {
    if (pixels <= small) return await task()
    const need = Math.min(pixels, size)
    await enter(need, stay.signal)
    const release = hold(need, stay)
    return await task().finally(release)
  }
}
