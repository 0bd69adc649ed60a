/** Runs a task when there is room for so many pixels. Rejects with the signal's reason where that comes first. */
export type PixelRoom = <T>(pixels: number, stay: Stay, task: () => Promise<T>) => Promise<T>

export interface Stay {
  readonly signal: AbortSignal
  /** Who takes longer waits for a page, and keeps no one else from their turn. */
  readonly holdMs: number
}

export interface RoomRules {
  readonly pixels: number
  /** What is no larger than this goes ahead in any case: small pictures do not wait for large ones. */
  readonly small: number
}

/** First come, first served; what is larger than all of the room is alone in it. */
export function createPixelRoom({ pixels: size, small }: RoomRules): PixelRoom {
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
  /** The browser may never answer for a page that has left: what was called off holds no room. */
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
