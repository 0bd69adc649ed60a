// Not beside the schemas: code that needs only the states does not load those.

/** How far one page is. */
export const CAPTURE_STATES = ['queued', 'running', 'done', 'failed'] as const
export type CaptureState = (typeof CAPTURE_STATES)[number]

/** How far a root is; the last three are final. */
export const ROOT_STATES = ['queued', 'running', 'done', 'partial', 'failed'] as const
export type RootState = (typeof ROOT_STATES)[number]

export function isFinal(state: RootState): boolean {
  return state !== 'queued' && state !== 'running'
}
