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
export interface Failures {
  record(target: Target, failure: EgressError): void
  forget(target: Target): void
  find(url: string): EgressFailure | undefined
}

export function createFailures(): Failures {
  const known = new Map<string, EgressFailure>()
  return {
    record(target, { reason, message }) {
      const key = nameTarget(target)
      known.delete(key)
      known.set(key, { reason, detail: message })
      if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value as string)
    },
    forget: (target) => void known.delete(nameTarget(target)),
    find(url) {
      const target = targetOf(url)
      return target && known.get(nameTarget(target))
    },
  }
}
