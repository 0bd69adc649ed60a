import { AppError } from '../../../errors.ts'
import { STALE_MS } from './claims.ts'

const RENEW_MS = 15_000
/** Well before other imports may take over the claim. */
const TRUSTED_MS = STALE_MS / 2

/**
 * Renews a claim while its pictures are published. `stillOurs` throws if the claim may be lost: a renewal did not find it, or
 * none succeeded for long, as in a process that was frozen.
 */
export function holdClaim(renew: () => Promise<boolean>) {
  let renewed = performance.now()
  let lost = false
  const timer = setInterval(() => {
    const asked = performance.now()
    renew().then(
      (ours) => {
        if (ours) renewed = asked
        else lost = true
      },
      // The next renewal may succeed. Otherwise `stillOurs` throws.
      () => {},
    )
  }, RENEW_MS)
  const isLost = () => lost || performance.now() - renewed > TRUSTED_MS
  return {
    isLost,
    stillOurs(): void {
      if (isLost()) throw lostClaim()
    },
    letGo: () => clearInterval(timer),
  }
}

export function lostClaim(): AppError {
  return new AppError(
    'unavailable',
    'storing the pictures was interrupted for too long; import the root again',
  )
}
