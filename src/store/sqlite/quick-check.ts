import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL(`./quick-check-program${extname(import.meta.url)}`, import.meta.url))

/**
 * Looks through a whole database for what SQLite can find by itself; answers the first that is wrong with it. In a process of its
 * own that yields to every other: nobody who reads or writes waits for it. Undefined, too, where it could not look.
 */
export async function quickCheck(path: string, signal: AbortSignal): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'close')
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It may be over already.
  }
  try {
    const [found] = await Promise.all([text(child.stdout), ended])
    return found === '' ? undefined : found
  } catch {
    return undefined
  }
}
