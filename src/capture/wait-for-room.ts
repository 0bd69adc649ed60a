import type { Waiting } from '../contract/status.ts'
import type { Images } from '../images/images.ts'

/** For so long the answer of the disk is reused. */
const KNOWN_MS = 1_000

const STORAGE_FULL: Waiting = {
  reason: 'storage_full',
  detail: 'The disk that holds the pictures is full. Capturing continues when there is room.',
}

/** Why nothing is captured at the moment. Undefined if captures can begin. */
export type WhyWaiting = () => Promise<Waiting | undefined>

/** `onChange` is called when the reason has changed. If the disk cannot be asked, captures can begin: they will report it. */
export function createWaitForRoom(
  images: Pick<Images, 'room'>,
  onChange: (waiting: Waiting | undefined) => void,
): WhyWaiting {
  let known: { readonly at: number; readonly waiting: Promise<Waiting | undefined> } | undefined
  let last: Waiting | undefined
  const look = async () => {
    const room = await images.room().catch(() => undefined)
    const waiting = room?.isFull ? STORAGE_FULL : undefined
    const changed = waiting !== last
    last = waiting
    if (changed) onChange(waiting)
    return waiting
  }
  return () => {
    const now = performance.now()
    if (!known || now - known.at >= KNOWN_MS) known = { at: now, waiting: look() }
    return known.waiting
  }
}
