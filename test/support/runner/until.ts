import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './patience.ts'

/** Waits until it holds, and says what did not where it never does. */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    // Most of what is asked goes to a database or through all processes: to ask less often leaves them more of the machine.
    await sleep(20)
  }
}
