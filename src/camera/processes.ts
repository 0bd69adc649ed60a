import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'

/** Steps below this process, where there are as many left. */
const LOWER_BY = 5
const LOWEST = constants.priority.PRIORITY_LOW
const run = promisify(execFile)

/** The processes that a browser is made of. */
export interface BrowserProcesses {
  kill(): void
}

/** From now on they have the processor after everyone else: whoever reads does not wait for who captures. */
export async function processesOf(browser: Browser): Promise<BrowserProcesses> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id
  if (pid === undefined) return { kill() {} }
  const [group, own] = await Promise.all([groupOf(pid), groupOf(process.pid)]).catch(() => [pid, 0])
  // Never this process: a browser in our own group is killed alone.
  const hasGroup = group > 1 && group !== own
  await lowerPriority(hasGroup ? await membersOf(group) : [pid])
  return { kill: () => kill(hasGroup ? [-group, pid] : [pid]) }
}

/** Playwright makes a group of what it starts: of the browser, or of a script and the browser that the script starts. */
async function groupOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    return Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[2])
  }
  return Number((await run('ps', ['-o', 'pgid=', '-p', String(pid)])).stdout)
}

async function membersOf(group: number): Promise<number[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-o', 'pid=', '-g', String(group)]).catch(() => ({ stdout: '' }))
    return stdout.split(/\s+/).filter(Boolean).map(Number)
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const groups = await Promise.all(pids.map((pid) => groupOf(pid).catch(() => 0)))
  return pids.filter((_, index) => groups[index] === group)
}

/** What they start later is like them. */
async function lowerPriority(pids: readonly number[]): Promise<void> {
  const priority = Math.min(LOWEST, getPriority() + LOWER_BY)
  for (const pid of pids) {
    // On Linux each thread has a priority of its own.
    const threads =
      process.platform === 'linux' ? await readdir(`/proc/${pid}/task`).catch(() => []) : [String(pid)]
    for (const thread of threads) {
      try {
        setPriority(Number(thread), priority)
      } catch {
        // It has ended, or this is not allowed here: then it costs others time, and nothing else.
      }
    }
  }
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
