import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './patience.ts'

/** Waits until it holds, and says what did not where it never does. */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  // Most of what is asked goes to a database or through all processes: to ask less often leaves them more of the machine.
  for (let pause = 20; !(await holds()); pause = Math.min(250, pause * 1.2)) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await sleep(pause)
  }
}
