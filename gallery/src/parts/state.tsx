import type { RootState } from '../../../src/contract/status.ts'

export const STATE_WORDS: Record<RootState, string> = {
  scheduled: 'scheduled',
  queued: 'waiting',
  running: 'capturing',
  done: 'done',
  partial: 'partly failed',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function State({ state }: { state: RootState }) {
  return <span class={`state ${state}`}>{STATE_WORDS[state]}</span>
}
