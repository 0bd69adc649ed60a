import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Beside one other busy program the browser still gets a quarter of the processor. */
const NICE = 5
/** Linux allows one change in 100 ms, for all programs together. Root has no limit. */
const ATTEMPTS = 5
const PAUSE_MS = 150

/**
 * The service goes first: a page in an endless loop delays nobody's answer. Linux schedules all processes of a session
 * together (autogroup), and Playwright gives each browser its own session. The nice value of a single process would only
 * change its share within the browser. Other systems, and containers, have no such groups: nothing happens there.
 */
export async function moveToBackground(pid: number): Promise<void> {
  const [group, own] = await Promise.all([groupOf(pid), groupOf('self')])
  if (group === undefined || group === own) return
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (await setNice(pid)) return
    await sleep(PAUSE_MS)
  }
}

/** False if Linux asks to try again. Any other error is ignored: the browser works anyway. */
async function setNice(pid: number): Promise<boolean> {
  try {
    await writeFile(fileOf(pid), String(NICE))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN'
  }
}

async function groupOf(pid: number | 'self'): Promise<string | undefined> {
  const text = await readFile(fileOf(pid), 'utf8').catch(() => undefined)
  return text?.split(' ')[0]
}

function fileOf(pid: number | 'self'): string {
  return `/proc/${pid}/autogroup`
}
