import { readdirSync, readFileSync } from 'node:fs'

/** Seconds that all threads of a process have worked. Linux only: NaN elsewhere, or if it is gone. */
export function workOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
  } catch {
    return Number.NaN
  }
}
