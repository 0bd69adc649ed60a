import type { Waiting } from '../contract/status.ts'
import type { Images } from '../images/images.ts'

/** For so long an answer holds: whoever asks more often does not ask the disk. */
const KNOWN_MS = 1_000

const STORAGE_FULL: Waiting = {
  reason: 'storage_full',
  detail: 'The disk that holds the pictures is full. Capturing goes on when there is room.',
}

/** Why nothing is captured at the moment; undefined where nothing keeps it from that. */
export type WhyWaiting = () => Promise<Waiting | undefined>

/** `onChange` is called when it has become another. A store that does not answer says so when it is used. */
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
