import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowsers, processesOf } from '../../test/support/camera/camera.ts'
import { memoryOf } from '../../test/support/processes/memory.ts'
import { processorSecondsOf } from '../unfair/usage.ts'

const LOOK_MS = 200
const MB = 1024 * 1024

/** Of the service and its browser, since a moment. Seconds of processor time, megabytes, milliseconds. */
export interface Usage {
  readonly main: number
  readonly camera: number
  /** libvips, files, V8's own threads. */
  readonly others: number
  readonly browser: number
  readonly memory: number
  readonly browserMemory: number
  /** The longest turns of the event loops. */
  readonly mainTurn: number
  readonly cameraTurn: number
}

/** Watches from now on. */
export function watchUsage(pid: number, turnsFolder: string): { end(): Usage } {
  const began = threadsOf(pid)
  const browsers = new Map<number, { first: number; last: number }>()
  let [memory, browserMemory] = [0, 0]
  for (const file of readdirSync(turnsFolder)) rmSync(join(turnsFolder, file))
  const look = (isFirst: boolean) => {
    memory = Math.max(memory, memoryOf(pid).now / MB || 0)
    const all = findBrowsers(pid).flatMap((browser) => processesOf(browser))
    for (const { pid } of all) {
      const seconds = ignoreGone(() => processorSecondsOf(pid))
      const known = browsers.get(pid)
      if (known) known.last = Math.max(known.last, seconds)
      else browsers.set(pid, { first: isFirst ? seconds : 0, last: seconds })
    }
    browserMemory = Math.max(
      browserMemory,
      all.reduce((sum, { pid }) => sum + ignoreGone(() => ownMemoryOf(pid)), 0),
    )
  }
  look(true)
  const timer = setInterval(() => look(false), LOOK_MS)
  return {
    end() {
      look(false)
      clearInterval(timer)
      const ended = threadsOf(pid)
      const [main, camera, all] = (['main', 'camera', 'all'] as const).map(
        (name) => ended[name] - began[name],
      )
      return {
        ...{ main: main ?? 0, camera: camera ?? 0, others: (all ?? 0) - (main ?? 0) - (camera ?? 0) },
        browser: [...browsers.values()].reduce((sum, { first, last }) => sum + last - first, 0),
        ...{ memory, browserMemory },
        mainTurn: turnOf(turnsFolder, (thread) => thread === 0),
        cameraTurn: turnOf(turnsFolder, (thread) => thread > 0),
      }
    },
  }
}

/** Seconds of the main thread, of the thread of the camera, and of the whole process. */
function threadsOf(pid: number): { main: number; camera: number; all: number } {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder).map((thread) => ({
    thread: Number(thread),
    name: readFileSync(`${folder}/${thread}/comm`, 'utf8').trim(),
    seconds: Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
  }))
  const sum = (which: (each: (typeof threads)[number]) => boolean) =>
    threads.filter(which).reduce((all, { seconds }) => all + seconds, 0)
  return {
    main: sum(({ thread }) => thread === pid),
    camera: sum(({ thread, name }) => thread !== pid && name === 'WorkerThread'),
    all: processorSecondsOf(pid),
  }
}

/** Proportional: pages of memory that several processes share are counted once. */
function ownMemoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
}

function turnOf(folder: string, which: (thread: number) => boolean): number {
  const files = readdirSync(folder).filter((name) => which(Number(name)))
  return Math.max(0, ...files.map((name) => Number(readFileSync(join(folder, name), 'utf8'))))
}

function ignoreGone(read: () => number): number {
  try {
    return read()
  } catch {
    return 0
  }
}
