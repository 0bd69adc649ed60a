/** Runs a task when so many pixels are free. Rejects with the signal's reason if it is aborted before that. */
export type PixelBudget = <T>(pixels: number, stay: Stay, task: () => Promise<T>) => Promise<T>

export interface Stay {
  readonly signal: AbortSignal
  /** After this time a task no longer counts: its page hangs, and others must not wait for it. */
  readonly holdMs: number
  /** Owners take turns. */
  readonly owner?: string
  /** Is given the wait for the others. */
  readonly whileWaiting?: (waiting: Promise<void>) => Promise<void>
}

/**
 * Pictures larger than the whole budget are taken one at a time. All others share the budget, and do not wait for those. Pictures up to the
 * size `small` never wait.
 */
export function createPixelBudget(size: number, small: number): PixelBudget {
  const [shared, larger] = [createLine(size), createLine(1)]
  return async (pixels, stay, task) => {
    if (pixels <= small) return await task()
    return pixels > size ? await larger(1, stay, task) : await shared(pixels, stay, task)
  }
}

interface Entrant {
  readonly need: number
  readonly owner: string
  readonly begin: () => void
}

/** Tasks start in the order in which they came, but those of the owner that was let in last come after those of others. */
function createLine(size: number): PixelBudget {
  const waiting = new Set<Entrant>()
  /** For each owner, when it was let in last. */
  const turns = new Map<string, number>()
  let turn = 0
  let free = size
  const turnOf = ({ owner }: Entrant) => turns.get(owner) ?? 0
  const beginThoseThatFit = () => {
    while (waiting.size > 0) {
      const next = [...waiting].reduce((first, each) => (turnOf(each) < turnOf(first) ? each : first))
      if (next.need > free) return
      waiting.delete(next)
      free -= next.need
      turns.set(next.owner, ++turn)
      next.begin()
    }
    if (free === size) turns.clear()
  }
  const enter = (need: number, { signal, owner = '' }: Stay) =>
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
      const entrant = { need, owner, begin }
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
  return async (need, stay, task) => {
    const { whileWaiting = (wait) => wait } = stay
    await whileWaiting(enter(need, stay))
    const release = hold(need, stay)
    return await task().finally(release)
  }
}
