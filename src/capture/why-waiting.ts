import type { Logger } from 'pino'
import type { Waiting } from '../contract/status.ts'
import { AppError, cannotWrite } from '../errors.ts'
import type { Images } from '../images/images.ts'
import type { Store } from '../store/store.ts'

/** How long an answer is reused. */
const KNOWN_MS = 1_000
/** How often it looks by itself after a write has failed, until writing works again. */
const LOOK_MS = 2_000
const FAILED = 'The service cannot store anything at the moment; its log has the details.'

/**
 * Why nothing is captured at the moment: nothing can be written to the database or to the pictures. Undefined if captures can
 * begin. An answer may be `knownMs` old.
 */
export type WhyWaiting = (options?: { knownMs?: number }) => Promise<Waiting | undefined>

export interface WhyWaitingOptions {
  readonly store: Pick<Store, 'checkWriting' | 'hasFailedToWrite'>
  readonly images: Pick<Images, 'checkWriting' | 'hasFailedToWrite'>
  readonly log: Pick<Logger, 'info' | 'error'>
  readonly onChange: (waiting: Waiting | undefined) => void
}

/** Captures do not wait for a storage that is away: they begin, and report it. */
export function watchStorage({ store, images, log, onChange }: WhyWaitingOptions) {
  let known: { readonly at: number; readonly waiting: Promise<Waiting | undefined> } | undefined
  let last: Waiting | undefined
  const tell = (waiting: Waiting | undefined, errors: readonly unknown[]) => {
    if (waiting?.detail === last?.detail) return
    if (!waiting) log.info('everything can be written again; captures continue')
    else if (!last) log.error({ err: errors[0], ...waiting }, 'something cannot be written; captures wait')
    last = waiting
    onChange(waiting)
  }
  const look = async () => {
    const checks = await Promise.allSettled([images.checkWriting(), store.checkWriting()])
    const errors = checks.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    const waiting = toWaiting(errors)
    tell(waiting, errors)
    return waiting
  }
  const whyWaiting: WhyWaiting = ({ knownMs = KNOWN_MS } = {}) => {
    const now = performance.now()
    if (!known || now - known.at >= knownMs) known = { at: now, waiting: look() }
    return known.waiting
  }
  const timer = setInterval(() => {
    if (last || store.hasFailedToWrite() || images.hasFailedToWrite()) void whyWaiting()
  }, LOOK_MS).unref()
  return { whyWaiting, close: () => clearInterval(timer) }
}

/** One reason, and a sentence for each part. */
function toWaiting(errors: readonly unknown[]): Waiting | undefined {
  const obstacles = errors.filter((error) => !(error instanceof AppError && error.code === 'unavailable'))
  const [first] = obstacles
  if (first === undefined) return undefined
  const details = obstacles.map((error) => (cannotWrite(error) ? error.message : FAILED))
  const reason = cannotWrite(first) ? (first.code as 'storage_full' | 'read_only') : 'storage_failed'
  return { reason, detail: [...new Set(details)].join(' ') }
}
