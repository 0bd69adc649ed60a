import { AppError } from '../../errors.ts'
import { type CaptureTask, SUSPECT_DEATHS } from '../../store/captures.ts'

/** The pause after a failure that is not the fault of the page. */
const OURS_MS = 5_000
/** The disk has room, but not for this picture. It is not taken every few seconds in vain. */
const NO_ROOM_MS = 20_000
const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/** Whether the page is not to blame: the storage is away or full, or there is no browser. */
export function isOurs(error: unknown): boolean {
  const codes = ['unavailable', 'storage_full', 'read_only', 'storage_failed', 'no_browser']
  return error instanceof AppError && codes.includes(error.code)
}

/** How long to wait after a process died at a page. Only pages that may kill their process have to wait. */
export function delayAfterDeath({ deaths }: { deaths: number }): number {
  return deaths < SUSPECT_DEATHS ? 0 : Math.min(LONGEST_MS / 2, 1_000 * 2 ** (deaths - SUSPECT_DEATHS))
}

/** How long to wait before the next attempt. Longer each time, if the page may be the reason. */
export function pauseAfter(error: unknown, { attempts }: Pick<CaptureTask, 'attempts'>): number {
  if (error instanceof AppError && error.code === 'storage_full') return NO_ROOM_MS
  return isOurs(error) ? OURS_MS : Math.min(LONGEST_MS, FIRST_MS * 4 ** (attempts - 1))
}
