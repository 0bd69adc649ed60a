import { useCallback, useEffect, useState } from 'preact/hooks'

export interface Answered<T> {
  readonly value: T | undefined
  readonly failure: unknown
  reload(): void
}

/** Kept answers: going back shows them at once and reads them again. */
const MOST_KEPT = 200
const kept = new Map<string, unknown>()

/** One answer of the service. `name` identifies what `load` reads. Without it nothing is read. */
export function useAnswer<T>(name: string, load: (signal: AbortSignal) => Promise<T>): Answered<T> {
  const [state, setState] = useState<{ name: string; value?: T; failure?: unknown }>({ name })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (name === '') return
    const left = new AbortController()
    load(left.signal).then(
      (value) => {
        keep(name, value)
        if (!left.signal.aborted) setState({ name, value })
      },
      (failure) => {
        if (!left.signal.aborted) setState({ name, failure })
      },
    )
    return () => left.abort()
  }, [name, round])
  const reload = useCallback(() => setRound((count) => count + 1), [])
  const current = state.name === name ? state : { name }
  return { value: current.value ?? (kept.get(name) as T | undefined), failure: current.failure, reload }
}

function keep(name: string, value: unknown): void {
  kept.delete(name)
  kept.set(name, value)
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}
