import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { spawnNode } from '../processes.ts'
import { keep } from './children.ts'
import type { Tree } from './tree.ts'

/** SHUTDOWN_TIMEOUT of every service here, in seconds. */
export const SHUTDOWN_S = 5
/** A process that runs longer after that is killed. */
const PATIENCE_S = 25

export interface Running {
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  readonly isOver: boolean
  /** Sends SIGTERM. Returns the seconds until the process ended, and its exit code; `killed` if it did not end. */
  end(): Promise<{ seconds: number; code: number | 'killed' }>
  kill(): Promise<void>
}

/** The real service in its own process, with keys and with default limits. `flags`: of Node. */
export async function startService(
  tree: Pick<Tree, 'program'>,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Running> {
  const settings = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    AUTH: 'keys',
    SHUTDOWN_TIMEOUT: `${SHUTDOWN_S}s`,
    ...env,
  }
  const child = keep(spawnNode(tree.program, ['serve'], settings, flags))
  if (!child.stdout) throw new Error('no output')
  const lines: string[] = []
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    url = /ready at (http:\S+)/.exec(line)?.[1]
    if (url) break
  }
  if (url === undefined) throw new Error(`the service did not start:\n${lines.join('\n')}`)
  child.stdout.resume()
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  return {
    url,
    pid: child.pid ?? Number.NaN,
    child,
    get isOver() {
      return isOver()
    },
    async end() {
      const began = performance.now()
      if (!isOver()) child.kill('SIGTERM')
      const impatient = setTimeout(() => child.kill('SIGKILL'), PATIENCE_S * 1_000)
      const [code] = await ended
      clearTimeout(impatient)
      return { seconds: (performance.now() - began) / 1_000, code: code ?? 'killed' }
    },
    async kill() {
      if (isOver()) return
      child.kill('SIGKILL')
      await ended
    },
  }
}
