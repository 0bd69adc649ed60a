import { NoAnswerError } from './no-answer-error.ts'

/** The service says something every 26 seconds at the latest: a connection this silent is dead, though nobody has closed it. */
const LONGEST_SILENCE_MS = 30_000

export interface Silence {
  /** Aborted as the one that was given, and by silence. */
  readonly signal: AbortSignal
  /** Waits for what must come within that time. */
  soon<T>(part: Promise<T>): Promise<T>
}

/** For one connection. */
export function limitSilence(server: string, signal: AbortSignal | undefined): Silence {
  const silence = new AbortController()
  const giveUp = () => silence.abort(new NoAnswerError(server, new Error('it is silent')))
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
