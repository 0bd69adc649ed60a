import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inject, onTestFinished } from 'vitest'

/** The program as users start it. */
export const BIN = fileURLToPath(new URL('../../../bin/proofsheet.js', import.meta.url))
/** The program as most tests start it: see `build-program.ts`. */
export const COMMAND = await findProgram()

async function findProgram(): Promise<string> {
  const builder = inject('program')
  if (!builder) return BIN
  const answer = await fetch(builder)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`The program was not built: ${text}`)
  return text
}

export interface RunningProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the first match in stdout; rejects if the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/**
 * Runs a program with only the given environment, in a process group of its own: everything it starts ends
 * with it when the test is over.
 */
export function start(
  file: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): RunningProcess {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.env }
  const child = spawn(file, args, {
    env,
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  onTestFinished(async () => {
    signalGroup(child, 'SIGKILL')
    await ended
  })
  return {
    child,
    pid: child.pid ?? -1,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async waitFor(pattern) {
      for (;;) {
        const match = pattern.exec(stdout)
        if (match) return match
        const over = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          ended.then(() => true),
        ])
        if (over && !pattern.test(stdout)) throw new Error(`ended without ${pattern}:\n${stdout}\n${stderr}`)
      }
    },
  }
}

/** Signals a process and all it started. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? Number.NaN), signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** `proofsheet …`, as a process of its own. */
export function proofsheet(
  args: string[],
  env: Record<string, string> = {},
  wrapper: readonly string[] = [],
): RunningProcess {
  const [file = process.execPath, ...all] = [...wrapper, process.execPath, COMMAND, ...args]
  return start(file, all, { env })
}

/** Runs a program that is subject to file permissions, even if the tests run as root. */
export const RIGHTS_COUNT: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override', '--']
    : []

/** Runs a command to its end. */
export async function runProofsheet(args: string[], env: Record<string, string> = {}) {
  const command = proofsheet(args, env)
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}

/** Starts the service on a free port and returns its URL. `wrapper`: a program that starts it. */
export async function serveProcess(env: Record<string, string>, wrapper: readonly string[] = []) {
  const running = proofsheet(['serve'], { PORT: '0', LOG_LEVEL: 'warn', ...env }, wrapper)
  const [, url = ''] = await running.waitFor(/ready at (http:\/\/\S+)/)
  return { ...running, url }
}
