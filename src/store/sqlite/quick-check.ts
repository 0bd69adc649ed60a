import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL(`./quick-check-program${extname(import.meta.url)}`, import.meta.url))

/**
 * Searches a whole database for damage that SQLite can find. Returns the first. It runs in its own process with a low
 * priority, so that readers and writers do not wait for it. Undefined if there is no damage, or it could not run.
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
    // The process may have ended already.
  }
  try {
    const [found] = await Promise.all([text(child.stdout), ended])
    return found === '' ? undefined : found
  } catch {
    return undefined
  }
}
