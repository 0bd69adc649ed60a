import { useEffect, useState } from 'preact/hooks'

const TICK_MS = 30_000

/** The current time, updated now and then, so that "in 3 minutes" stays right. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
