import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

// For tests and for benches, which run without a test runner.

const HAS_PROC = existsSync('/proc/self/status')

/** Resident memory in bytes; `peak` since the process began. NaN where it is gone, or the system does not tell. */
export function memoryOf(pid: number): { now: number; peak: number } {
  try {
    if (!HAS_PROC) {
      const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
      return { now: Number(kilobytes) * 1024, peak: Number.NaN }
    }
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
    return { now: read('VmRSS'), peak: read('VmHWM') }
  } catch {
    return { now: Number.NaN, peak: Number.NaN }
  }
}
