export interface KeptLease {
  /** Aborted when another process has taken over. */
  readonly lost: AbortSignal
  letGo(): void
}

/** Renews a lease regularly, until it is released. `renew` returns whether it is still ours. */
export function keepLease(everyMs: number, renew: () => Promise<boolean>): KeptLease {
  const lost = new AbortController()
  let isRenewing = false
  const renewOnce = async () => {
    if (isRenewing) return
    isRenewing = true
    try {
      if (!(await renew())) lost.abort(new Error('another process has taken over this capture'))
    } catch {
      // The next renewal may succeed. If none does, the store refuses the end of the capture.
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renewOnce(), everyMs)
  return { lost: lost.signal, letGo: () => clearInterval(timer) }
}
