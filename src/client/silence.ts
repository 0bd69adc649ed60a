import { NoAnswerError } from './no-answer-error.ts'

/** The service sends something at least every 42 seconds. A connection that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000

export interface Silence {
  /** Aborted by the given signal, or by silence. */
  readonly signal: AbortSignal
  /** Waits for something that must come within that time. */
  soon<T>(part: Promise<T>): Promise<T>
}

/** For one connection. */
export function limitSilence(server: string, signal: AbortSignal | undefined): Silence {
  const silence = new AbortController()
  const giveUp = () => silence.abort(new NoAnswerError(server, new Error('the connection is silent')))
  return {
    signal: AbortSignal.any(signal ? [signal, silence.signal] : [silence.signal]),
    async soon(part) {
      const timer = setTimeout(giveUp, LONGEST_SILENCE_MS)
      try {
        return await part
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
