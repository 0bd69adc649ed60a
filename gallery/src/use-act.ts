import { useState } from 'preact/hooks'
import { explain } from './parts/problem.tsx'

/** Does one thing at a time. `said` is the error, or the text that `work` returned. */
export function useAct() {
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  const act = async (work: () => Promise<unknown>) => {
    if (busy) return
    setBusy(true)
    setSaid('')
    try {
      const answer = await work()
      setSaid(typeof answer === 'string' ? answer : '')
    } catch (failure) {
      setSaid(explain(failure))
    }
    setBusy(false)
  }
  return { busy, said, act }
}
