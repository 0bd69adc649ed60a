export interface KeptLease {
  /** Tells that another process has taken over. */
  readonly lost: AbortSignal
  letGo(): void
}

/** Renews a lease every so often, until it is let go. `renew` answers whether it is still ours. */
export function keepLease(everyMs: number, renew: () => Promise<boolean>): KeptLease {
  const lost = new AbortController()
  let isRenewing = false
  const renewOnce = async () => {
    if (isRenewing) return
    isRenewing = true
    try {
      if (!(await renew())) lost.abort(new Error('another process has taken over this capture'))
    } catch {
      // Made up for by the next one; where none succeeds, the end of the capture is refused.
    } finally {
      isRenewing = false
    }
  }
  const timer = setInterval(() => void renewOnce(), everyMs)
  return { lost: lost.signal, letGo: () => clearInterval(timer) }
}
