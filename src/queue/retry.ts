import { AppError } from '../errors.ts'
import { type CaptureTask, SUSPECT_DEATHS } from '../store/captures.ts'

/** After something failed that is not the page's fault. */
const OURS_MS = 5_000
const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/** An attempt that nobody can blame the page for: the storage is away or full, or there is no browser. */
export function isOurs(error: unknown): boolean {
  const codes = ['unavailable', 'storage_full', 'storage_failed', 'no_browser']
  return error instanceof AppError && codes.includes(error.code)
}

/** How long to wait after a process has died at a page: not at all, unless it may be the page that kills. */
export function delayAfterDeath({ deaths }: { deaths: number }): number {
  return deaths < SUSPECT_DEATHS ? 0 : Math.min(LONGEST_MS / 2, 1_000 * 2 ** (deaths - SUSPECT_DEATHS))
}

/** How long to wait before the next attempt. Where the page may be why it failed: longer each time. */
export function pauseAfter(error: unknown, { attempts }: Pick<CaptureTask, 'attempts'>): number {
  return isOurs(error) ? OURS_MS : Math.min(LONGEST_MS, FIRST_MS * 4 ** (attempts - 1))
}
