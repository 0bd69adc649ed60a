import { keepNewest } from '../work/kept.ts'
import { nameTarget, type Target, targetOf } from './target.ts'

export type EgressReason = 'dns' | 'refused' | 'unreachable' | 'timeout' | 'blocked'

export interface EgressFailure {
  readonly reason: EgressReason
  /** A sentence for people. */
  readonly detail: string
}

export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly reason: EgressReason

  constructor(reason: EgressReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** A page may ask for any number of hosts: the oldest failures are forgotten. */
const MAX_REMEMBERED = 1_000

/** The last failure of each host and port. */
export class Failures {
  readonly #known = new Map<string, EgressFailure>()

  record(target: Target, { reason, message }: EgressError): void {
    keepNewest(this.#known, nameTarget(target), { reason, detail: message }, MAX_REMEMBERED)
  }

  forget(target: Target): void {
    this.#known.delete(nameTarget(target))
  }

  find(url: string): EgressFailure | undefined {
    const target = targetOf(url)
    return target && this.#known.get(nameTarget(target))
  }
}
