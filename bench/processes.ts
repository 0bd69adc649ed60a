import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Serving {
  readonly url: string
  /** Resident memory in megabytes, now and at most. */
  memory(): { now: number; peak: number }
  stop(): Promise<void>
}

/** Runs a file of this folder or above until it says where it is ready. */
export async function startServer(
  file: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Serving> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  let url: string | undefined
  for await (const line of lines) {
    url = /ready at (http:\S+)/.exec(line)?.[1]
    if (url) break
  }
  if (url === undefined) throw new Error(`${file} ended without saying where it is ready`)
  child.stdout.resume()
  return {
    url,
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
      return { now: read('VmRSS'), peak: read('VmHWM') }
    },
    async stop() {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    },
  }
}

export const startProofsheet = (env: Record<string, string>) =>
  startServer('../bin/proofsheet.js', ['serve'], { PORT: '0', LOG_LEVEL: 'error', ...env })
