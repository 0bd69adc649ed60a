import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './patience.ts'

/** Waits until the condition holds, and names it if it never does. */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  // Most conditions query a database or all processes: asking less often leaves them more of the machine.
  for (let pause = 20; !(await holds()); pause = Math.min(250, pause * 1.2)) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await sleep(pause)
  }
}
