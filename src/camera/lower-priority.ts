import { readdir, readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/** Pages run when nothing else wants to: a page in an endless loop must not take the processor from who serves. */
const NICENESS = 10

/**
 * Lowers the priority of a browser, given its process group. The processes of its pages come after that, and have it
 * from the one that makes them. Linux only: elsewhere nothing tells which processes a group has.
 */
export async function lowerPriority(group: number): Promise<void> {
  if (process.platform !== 'linux') return
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // One that ends meanwhile has none.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(stat.split(') ').at(-1)?.split(' ')[2]) !== group) continue
    try {
      setPriority(Number(name), NICENESS)
    } catch {
      // Gone already, or another user's.
    }
  }
}
