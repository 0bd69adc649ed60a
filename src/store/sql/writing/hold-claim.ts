import { AppError } from '../../../errors.ts'
import { STALE_MS } from './claims.ts'

const RENEW_MS = 15_000
/** Well before others may take the claim for a dead one's. */
const TRUSTED_MS = STALE_MS / 2

/**
 * Renews a claim while its pictures are published. `stillOurs` throws once it may be another's: where a renewal found
 * it gone, and also where none succeeded for long, as for a process that was frozen and goes on.
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
      // Made up for by the next one, or by `stillOurs`.
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
