// Not beside the schemas: code that needs only the states does not load those.

/** How far one page is. */
export const CAPTURE_STATES = ['scheduled', 'queued', 'running', 'done', 'failed', 'cancelled'] as const
export type CaptureState = (typeof CAPTURE_STATES)[number]

/** How far a root is; the last four are final. */
export const ROOT_STATES = [
  'scheduled',
  'queued',
  'running',
  'done',
  'partial',
  'failed',
  'cancelled',
] as const
export type RootState = (typeof ROOT_STATES)[number]

export function isFinal(state: RootState): boolean {
  return state !== 'scheduled' && state !== 'queued' && state !== 'running'
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Pending deliveries of a webhook are counted up to this number. */
export const MOST_PENDING = 1_000
