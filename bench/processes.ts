import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { memoryOf } from '../test/support/processes/memory.ts'
import { workOf } from '../test/support/processes/work.ts'

const MB = 1024 * 1024

export interface Serving {
  readonly url: string
  /** Resident memory in megabytes, now and at most. */
  memory(): { now: number; peak: number }
  /** Seconds that it has worked, on Linux. */
  worked(): number
  /** Sets its clock ahead, if it is `service.ts`. */
  setAhead(milliseconds: number): Promise<void>
  stop(): Promise<void>
}

export function spawnNode(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return spawn(process.execPath, [...flags, path, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
}

/** Starts a file of this folder and waits until it prints its address. */
export async function startServer(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<Serving> {
  const child = spawnNode(file, args, env, flags)
  if (!child.stdout) throw new Error('no output')
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    url = /ready at (http:\S+)/.exec(line)?.[1]
    if (url) break
  }
  if (url === undefined) throw new Error(`${file} ended without saying where it is ready`)
  child.stdout.resume()
  return {
    url,
    memory: () => megabytesOf(child),
    worked: () => workOf(child.pid ?? -1),
    async setAhead(milliseconds) {
      child.send(milliseconds)
      await once(child, 'message')
    },
    stop: () => stop(child),
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

/** In megabytes. */
export function megabytesOf(child: ChildProcess): { now: number; peak: number } {
  const { now, peak } = memoryOf(child.pid ?? -1)
  return { now: now / MB, peak: peak / MB }
}

/** Without a log line for each request: bare `node:http` writes none either. */
const QUIET = { PORT: '0', LOG_LEVEL: 'warn' }

export const startProofsheet = (env: Record<string, string>) =>
  startServer('../bin/proofsheet.js', ['serve'], { ...QUIET, ...env })

export const startWithClock = (env: Record<string, string>, flags: readonly string[] = []) =>
  startServer('service.ts', [], { ...QUIET, ...env }, flags)
