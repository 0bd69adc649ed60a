import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of processor time of all threads of a process. Linux only: NaN elsewhere, or if it has ended. */
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
