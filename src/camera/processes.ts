import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'

const run = promisify(execFile)

/** The processes that a browser is made of. */
export interface BrowserProcesses {
  /** The main process. Undefined if it is not known. */
  readonly pid: number | undefined
  kill(): void
}

export async function processesOf(browser: Browser): Promise<BrowserProcesses> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id
  if (pid === undefined) return { pid, kill() {} }
  const [group, own] = await Promise.all([groupOf(pid), groupOf(process.pid)]).catch(() => [pid, 0])
  // Never this process: a browser in our own group is killed alone.
  const targets = group > 1 && group !== own ? [-group, pid] : [pid]
  return { pid, kill: () => kill(targets) }
}

/** Playwright makes a group of what it starts: of the browser, or of a script and the browser that the script starts. */
async function groupOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    return Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[2])
  }
  return Number((await run('ps', ['-o', 'pgid=', '-p', String(pid)])).stdout)
}

function kill(targets: readonly number[]): void {
  for (const target of targets) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
