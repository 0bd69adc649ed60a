export type DeliveryOutcome = 'delivered' | 'failed' | 'dropped'
/** `answered`: with a status that is not a success. `unreachable`: without a status. */
export type AttemptOutcome = 'delivered' | 'answered' | 'unreachable'

/** The deliveries of this process, in numbers. */
export class DeliveryFigures {
  readonly ended = new Map<DeliveryOutcome, number>([
    ['delivered', 0],
    ['failed', 0],
    ['dropped', 0],
  ])
  readonly attempts = new Map<AttemptOutcome, number>([
    ['delivered', 0],
    ['answered', 0],
    ['unreachable', 0],
  ])

  countEnd(outcome: DeliveryOutcome): void {
    this.ended.set(outcome, (this.ended.get(outcome) ?? 0) + 1)
  }

  countAttempt(outcome: AttemptOutcome): void {
    this.attempts.set(outcome, (this.attempts.get(outcome) ?? 0) + 1)
  }
}
