import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { memoryOf } from '../../test/support/processes/memory.ts'

const HAS_PROC = existsSync('/proc/self/stat')
/** The unit of processor time on Linux. */
const TICKS_A_SECOND = 100

/** Resident memory of a process in megabytes; NaN if it has ended. */
export function megabytesOf(pid: number): number {
  return memoryOf(pid).now / (1024 * 1024)
}

/** Seconds of a core that a process has used since it began. */
export function processorSecondsOf(pid: number): number {
  if (!HAS_PROC) {
    const parts = ps(pid, 'time').split(/[-:]/).map(Number)
    return parts.reduce((sum, part) => sum * 60 + part, 0)
  }
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) / TICKS_A_SECOND
}

/** Counts the processor time of the whole machine from now on. Returns the share that its host gave to other machines. */
export function watchStolen(): () => number {
  const began = processorTimes()
  return () => {
    const now = processorTimes()
    return (now.stolen - began.stolen) / Math.max(1, now.all - began.all)
  }
}

/** In ticks. Zero where the system does not tell. */
function processorTimes(): { stolen: number; all: number } {
  if (!HAS_PROC) return { stolen: 0, all: 0 }
  const times =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/ +/).slice(1, 9).map(Number) ?? []
  return { stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) }
}

/** How many files a process may have open. Node raises its own limit to the hard one. */
export function mostOpenFiles(): number {
  if (!HAS_PROC) return 10_000
  return Number(/Max open files\s+\S+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 10_000)
}

/** How many files and sockets a process has open. Undefined if it is not known. */
export function openFilesOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}

/** The largest value, sampled ten times a second. */
export function watchMemory(pid: number): { peak(): number; stop(): void } {
  let most = megabytesOf(pid)
  const timer = setInterval(() => {
    most = Math.max(most, megabytesOf(pid) || 0)
  }, 100)
  return { peak: () => most, stop: () => clearInterval(timer) }
}

function ps(pid: number, field: string): string {
  return execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
}
